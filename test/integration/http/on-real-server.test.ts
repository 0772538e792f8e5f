/** The HTTP suite on the first real server there is. */
import { registerOnRealServer } from './on-real-server.js';

await registerOnRealServer(0);
