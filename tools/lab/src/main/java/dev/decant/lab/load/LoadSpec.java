package dev.decant.lab.load;

/**
 * Which load a server gets. Each connection has at most one request under way.
 *
 * @param port of the server, on the loopback interface
 * @param serverPid whose processor time and context switches count
 * @param shown connections whose requests are measured
 * @param pauseMicros how long such a connection pauses after a response; 0 to send the next request at once
 * @param working connections beside them that send a request that computes, one after another
 */
public record LoadSpec(int port, long serverPid, int shown, long pauseMicros, int working) {}
