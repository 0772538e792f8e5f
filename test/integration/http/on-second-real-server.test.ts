/** The HTTP suite on the second real server: with Docker there are two. */
import { registerOnRealServer } from './on-real-server.js';

await registerOnRealServer(1);
