package dev.decant.lab.scenario;

import dev.decant.lab.driver.WorkKind;
import dev.decant.lab.stress.Sample;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/**
 * What clients do, in which setting, and the bars that the first of them is held to.
 *
 * @param name that of its file, without the ending
 * @param title one line for people
 * @param text of the file
 * @param brokers how many nodes the cluster is to have; 0 where it does not matter
 * @param contenders the clients, in the order of the first turn
 * @param bars of the first client
 */
public record Scenario(String name, String title, String text, int brokers, List<Contender> contenders,
    List<Bar<Sample>> bars) {

  /**
   * The work of the first client.
   *
   * @return which is that of all, but for what is only measured beside
   */
  public WorkKind work() {
    return contenders.getFirst().work();
  }

  /**
   * Tells whether clients want TLS.
   *
   * @return true if one does
   */
  public boolean isEncrypted() {
    return contenders.stream().anyMatch(Contender::isEncrypted);
  }

  /**
   * The names of the clients.
   *
   * @return in the order of the first turn
   */
  public List<String> clients() {
    return contenders.stream().map(Contender::label).toList();
  }

  /**
   * The turns of a round.
   *
   * @param quick for short samples
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
   * The same with other promises.
   *
   * @param others in place of its own
   * @return a copy
   * @throws ScenarioException if one of them names a client that the scenario does not have
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
   * The same for a cluster that the lab has not made, and that may have any number of brokers.
   *
   * @return without who is only measured beside, and needs one broker that leads all partitions; without its bars too
   */
  public Scenario onGivenCluster() {
    List<Contender> left = contenders.stream().filter(contender -> !wantsOneBroker(contender)).toList();
    if (left.size() == contenders.size()) {
      return this;
    }
    List<String> labels = left.stream().map(Contender::label).toList();
    return new Scenario(name, title, text, 0, left, bars.stream().filter(bar -> bar.isOf(labels)).toList());
  }

  /** Whether it is only measured beside, and the reason why the cluster has one broker. */
  private boolean wantsOneBroker(Contender contender) {
    return contender.work().needsOneLeader() && !contender.equals(contenders.getFirst());
  }

  /**
   * Its file without what makes it a comparison of certain clients: those settings that hold for all of them.
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
