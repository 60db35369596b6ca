package dev.decant.lab.scenario;

import dev.decant.lab.driver.WorkKind;
import java.util.List;

/**
 * What clients do, in which setting, and the bars that the first of them is held to.
 *
 * @param name that of its file, without the ending
 * @param title one line for people
 * @param text of the file
 * @param brokers how many nodes the cluster is to have; 0 where it does not matter
 * @param parties the clients, in the order of the first turn
 * @param bars of the first client
 */
public record Scenario(String name, String title, String text, int brokers, List<Party> parties, List<Bar> bars) {

  /**
   * The work of the first client.
   *
   * @return which is that of all, but for what is only measured beside
   */
  public WorkKind work() {
    return parties.getFirst().work();
  }
}
