package dev.decant.lab.live;

/**
 * One sample of a plan.
 *
 * @param scenario what is done
 * @param client who does it
 * @param pass the how-manieth time the clients are gone through: 1 there, 2 back, 3 there again
 */
public record Turn(String scenario, String client, int pass) {}
