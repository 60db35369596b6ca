package dev.decant.lab.live;

/**
 * One sample of a plan.
 *
 * @param scenario name of the scenario
 * @param client name of the client
 * @param pass number of the pass through all clients: 1 there, 2 back, 3 there again
 */
public record Turn(String scenario, String client, int pass) {}
