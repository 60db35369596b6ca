package dev.decant.kafka.assignor;

import java.util.List;
import java.util.stream.Collectors;

/** The assignors that come with the client; groups may have Apache's consumers with those of the same name. */
public final class Assignors {
  private static final Assignor RANGE = new RangeAssignor();
  private static final Assignor ROUND_ROBIN = new RoundRobinAssignor();
  private static final Assignor COOPERATIVE_STICKY = new CooperativeStickyAssignor();
  private static final List<Assignor> ALL = List.of(RANGE, ROUND_ROBIN, COOPERATIVE_STICKY);
  private static final String APACHE = "org.apache.kafka.clients.consumer.";

  private Assignors() {}

  /**
   * Divides each topic by itself into runs of partitions, so that who has partition 3 of one topic has it of all others
   * with as many partitions. Partitions go to members in the rack of a replica as far as the sizes allow (KIP-881).
   *
   * @return eager
   */
  public static Assignor range() {
    return RANGE;
  }

  /**
   * Deals the partitions of all topics out one after the other.
   *
   * @return eager
   */
  public static Assignor roundRobin() {
    return ROUND_ROBIN;
  }

  /**
   * Balances the number of partitions of the members, and leaves with each what it has as far as that allows.
   *
   * @return cooperative
   */
  public static Assignor cooperativeSticky() {
    return COOPERATIVE_STICKY;
  }

  /**
   * The assignor of a name.
   *
   * @param name such as {@code range}, or the name of Apache's class
   * @return the assignor
   * @throws IllegalArgumentException if there is none; the message lists all
   */
  public static Assignor named(String name) {
    String plain = name.strip();
    for (Assignor assignor : ALL) {
      if (assignor.name().equals(plain) || plain.equals(APACHE + assignor.getClass().getSimpleName())) {
        return assignor;
      }
    }
    throw new IllegalArgumentException("\"" + plain + "\" is no assignor: use " + ALL.stream().map(Assignor::name)
        .collect(Collectors.joining(", ")) + ", or give your own to ConsumerBuilder.assignors");
  }
}
