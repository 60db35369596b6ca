package dev.decant.lab.scenario;

import dev.decant.lab.driver.WorkKind;
import dev.decant.lab.stress.Sample;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/**
 * The work and the settings of clients, and the bars of the first of them.
 *
 * @param name name of the file, without the ending
 * @param title one line for people
 * @param text text of the file
 * @param brokers number of the cluster's nodes; 0 for any number
 * @param contenders the clients, in the order of the first turn
 * @param bars bars of the first client
 */
public record Scenario(String name, String title, String text, int brokers, List<Contender> contenders,
    List<Bar<Sample>> bars) {

  /**
   * Returns the work of the first client.
   *
   * @return the work of all clients, except those that are measured for comparison only
   */
  public WorkKind work() {
    return contenders.getFirst().work();
  }

  /**
   * Returns true if clients need TLS.
   *
   * @return true if one of them does
   */
  public boolean isEncrypted() {
    return contenders.stream().anyMatch(Contender::isEncrypted);
  }

  /**
   * Returns the names of the clients.
   *
   * @return in the order of the first turn
   */
  public List<String> clients() {
    return contenders.stream().map(Contender::label).toList();
  }

  /**
   * Returns the turns of a round.
   *
   * @param quick true for short samples
   * @return there, back, there again, and so on, as often as the scenario says
   */
  List<Contender> round(boolean quick) {
    List<Contender> round = new ArrayList<>();
    for (int turn = 0; turn < contenders.getFirst().turns(quick); turn++) {
      round.addAll(turn % 2 == 0 ? contenders : contenders.reversed());
    }
    return round;
  }

  /**
   * Returns the same scenario with other bars.
   *
   * @param others bars in place of its own
   * @return a copy
   * @throws ScenarioException if a bar names a client that the scenario does not have
   */
  public Scenario heldTo(List<Bar<Sample>> others) {
    for (Bar<Sample> bar : others) {
      try {
        bar.check(clients());
      } catch (IllegalArgumentException e) {
        throw new ScenarioException(name + ": \"" + bar.text() + "\": " + e.getMessage());
      }
    }
    return new Scenario(name, title, text, brokers, contenders, List.copyOf(others));
  }

  /**
   * Returns the same scenario for a cluster that the lab has not started, and that may have any number of brokers.
   *
   * @return a copy without clients that are measured for comparison only and need one broker to lead all partitions,
   *     and without the bars that name them
   */
  public Scenario onGivenCluster() {
    List<Contender> left = contenders.stream().filter(contender -> !wantsOneBroker(contender)).toList();
    if (left.size() == contenders.size()) {
      return this;
    }
    List<String> labels = left.stream().map(Contender::label).toList();
    return new Scenario(name, title, text, 0, left, bars.stream().filter(bar -> bar.isOf(labels)).toList());
  }

  /** Returns true for a client that is measured for comparison only, and for which the cluster must have one broker. */
  private boolean wantsOneBroker(Contender contender) {
    return contender.work().needsOneLeader() && !contender.equals(contenders.getFirst());
  }

  /**
   * Returns the settings that apply to all clients, as the base of another scenario.
   *
   * @return lines, to which a title and clients are to be added
   */
  public String commonLines() {
    boolean oneBroker = contenders.stream().anyMatch(this::wantsOneBroker);
    StringBuilder lines = new StringBuilder();
    for (String line : text.lines().map(String::strip).toList()) {
      String key = line.split("[=@\\s]", 2)[0];
      boolean ofOneClient = line.split("=", 2)[0].contains("@");
      if (!ofOneClient && !Set.of("", "#", "title", "clients", "bar", "turns", "turns.quick").contains(key)
          && !key.startsWith("#") && !(oneBroker && key.equals("brokers"))) {
        lines.append(line).append('\n');
      }
    }
    return lines.toString();
  }
}
