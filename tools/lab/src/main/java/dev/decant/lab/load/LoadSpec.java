package dev.decant.lab.load;

/**
 * The load of a server. Each connection has at most one outstanding request.
 *
 * @param port port of the server, on the loopback interface
 * @param serverPid process whose processor time and context switches count
 * @param shown number of connections whose requests are measured
 * @param pauseMicros pause of these connections after a response; 0 to send the next request at once
 * @param working number of connections beside them that send a request that computes, one after another
 */
public record LoadSpec(int port, long serverPid, int shown, long pauseMicros, int working) {}
