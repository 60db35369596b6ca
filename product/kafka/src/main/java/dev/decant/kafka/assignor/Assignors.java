package dev.decant.kafka.assignor;

import java.util.List;
import java.util.stream.Collectors;

/** The assignors of this client. Apache's consumers with assignors of the same names may be in one group with them. */
public final class Assignors {
  private static final Assignor RANGE = new RangeAssignor();
  private static final Assignor ROUND_ROBIN = new RoundRobinAssignor();
  private static final Assignor COOPERATIVE_STICKY = new CooperativeStickyAssignor();
  private static final List<Assignor> ALL = List.of(RANGE, ROUND_ROBIN, COOPERATIVE_STICKY);
  private static final String APACHE = "org.apache.kafka.clients.consumer.";

  private Assignors() {}

  /**
   * Returns the assignor that assigns each topic by itself, in runs of partitions. A member with partition 3 of one
   * topic has it of all topics with the same members and number of partitions. Racks of replicas are preferred as far
   * as the sizes allow (KIP-881).
   *
   * @return eager
   */
  public static Assignor range() {
    return RANGE;
  }

  /**
   * Returns the assignor that deals out the partitions of all topics in turns.
   *
   * @return eager
   */
  public static Assignor roundRobin() {
    return ROUND_ROBIN;
  }

  /**
   * Returns the assignor that balances the number of partitions per member, and moves as few partitions as that allows.
   *
   * @return cooperative
   */
  public static Assignor cooperativeSticky() {
    return COOPERATIVE_STICKY;
  }

  /**
   * Returns the assignor of a name.
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
