package dev.decant.lab.driver;

import com.fasterxml.jackson.annotation.JsonCreator;
import com.fasterxml.jackson.annotation.JsonValue;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.ServiceLoader;
import java.util.Set;

/**
 * The kind of work that a client does in a sample: its name in files, its latency, its topic and its traits. Each kind
 * is a class that {@code META-INF/services/dev.decant.lab.driver.WorkKind} names; no other list of works exists. There
 * is one instance of each kind in a JVM, so kinds may be compared with {@code ==}. Immutable.
 */
public abstract class WorkKind {
  /** The client of works that need neither a client nor a broker. */
  public static final String JDK = "jdk";
  /** The client of works that need no client, but a connection to the broker. */
  public static final String BARE_SOCKET = "bare-socket";

  private final String label;
  private final String latencyOf;
  private final Topic topic;
  private final Set<Trait> traits;

  /** The topic that a work needs, and where the delivery of its records is counted. */
  public enum Topic {
    /** A topic of its own that the work writes to; the broker's end offsets say how much was delivered. */
    WRITTEN,
    /** A topic that is written before the first sample and read whole again and again, by all clients the same one. */
    READ_AGAIN,
    /** A topic that is written before the first sample; only its first records are read. */
    READ_FIRST,
    /** A topic to which another JVM writes during the sample, at {@code feed.rate}. */
    FED,
    /** A topic without records. */
    EMPTY,
    /** No topic and no broker. */
    NONE
  }

  /** A property of a work that decides which settings it takes. */
  public enum Trait {
    /** The work writes to or reads several topics at once. */
    SEVERAL_TOPICS,
    /** The latency is that of one record that a caller waits for, so it compares with a loop without a client. */
    ONE_BY_ONE,
    /** Callers may poll for the result of a send, every {@code wait.poll.ms}. */
    POLLED,
    /** The work commits transactions. */
    TRANSACTIONAL,
    /** The work does a number of records, however long that takes. */
    COUNTED,
    /** Decant's consumer keeps its default group protocol in this work. */
    DEFAULT_PROTOCOL,
    /** The members of a group do the work. */
    OF_A_GROUP,
    /** The work has a rate. */
    RATED,
    /** A runtime calls handlers for records, in an order, and several at once. */
    OF_HANDLERS,
    /** Threads call handlers without a client. */
    HANDLERS_ALONE,
    /** Handlers fail for some records. */
    FAILING,
    /** The work needs no client, but a connection to the broker. */
    BARE,
    /** The work needs neither a client nor a broker. */
    OF_THE_JDK,
    /** One thread does the work: callers cannot share its connection. */
    ONE_THREAD,
    /** The work has one connection, so one broker must lead all partitions. */
    ONE_LEADER
  }

  /** All kinds. A class of its own, so that a kind's class can be initialized without loading all others. */
  private static final class All {
    static final List<WorkKind> KINDS = load();

    private static List<WorkKind> load() {
      List<WorkKind> kinds = ServiceLoader.load(WorkKind.class, WorkKind.class.getClassLoader()).stream()
          .map(ServiceLoader.Provider::get).toList();
      Set<String> labels = new HashSet<>();
      for (WorkKind kind : kinds) {
        if (!labels.add(kind.label)) {
          throw new IllegalStateException("there are two works with the name " + kind.label);
        }
      }
      return kinds;
    }
  }

  /**
   * Describes a kind of work.
   *
   * @param label name in files
   * @param latencyOf what one value of the latency is, for people
   * @param topic which topic the work needs
   * @param traits which settings it takes
   */
  protected WorkKind(String label, String latencyOf, Topic topic, Trait... traits) {
    this.label = label;
    this.latencyOf = latencyOf;
    this.topic = topic;
    this.traits = EnumSet.noneOf(Trait.class);
    this.traits.addAll(Arrays.asList(traits));
  }

  /**
   * Returns the name in files.
   *
   * @return for example {@code produce}
   */
  @JsonValue
  public final String label() {
    return label;
  }

  /**
   * Describes what one value of the latency is, for people.
   *
   * @return for example {@code one call that sends and waits}
   */
  public final String latencyOf() {
    return latencyOf;
  }

  /**
   * Returns which topic the work needs.
   *
   * @return the kind of topic that is made before a sample
   */
  public final Topic topic() {
    return topic;
  }

  /**
   * Returns true if the work only sends.
   *
   * @return false for a work that reads, also if it reads what it has sent at a rate
   */
  public final boolean isProducing() {
    return topic == Topic.WRITTEN && !traits.contains(Trait.RATED);
  }

  /**
   * Returns true if the work reads a topic that is written before the first sample.
   *
   * @return true if {@code topic.records} says how large that topic is
   */
  public final boolean readsWritten() {
    return topic == Topic.READ_AGAIN || topic == Topic.READ_FIRST;
  }

  /**
   * Returns true if the work reads what another JVM writes meanwhile.
   *
   * @return true if {@code feed.rate} says how fast that JVM writes
   */
  public final boolean isFed() {
    return topic == Topic.FED;
  }

  /**
   * Returns true if the work takes several topics.
   *
   * @return true if {@code topics} may be more than 1
   */
  public final boolean takesSeveralTopics() {
    return traits.contains(Trait.SEVERAL_TOPICS);
  }

  /**
   * Returns true if the work needs a rate.
   *
   * @return true if {@code rate} must be set
   */
  public final boolean needsRate() {
    return traits.contains(Trait.RATED);
  }

  /**
   * Returns true if the latency compares with that of a loop without a client.
   *
   * @return true if it is the latency of one record that a caller waits for
   */
  public final boolean waitsForEachRecord() {
    return traits.contains(Trait.ONE_BY_ONE);
  }

  /**
   * Returns true if callers can poll for the result of a send.
   *
   * @return true if {@code wait.poll.ms} may be set
   */
  public final boolean takesPollInterval() {
    return traits.contains(Trait.POLLED);
  }

  /**
   * Returns true if the work commits transactions.
   *
   * @return true if {@code transaction.records} says how large they are
   */
  public final boolean isTransactional() {
    return traits.contains(Trait.TRANSACTIONAL);
  }

  /**
   * Returns true if Decant's consumer keeps its default group protocol.
   *
   * @return true if {@code consumer.group.protocol} must not be set for Decant
   */
  public final boolean keepsDefaultProtocol() {
    return traits.contains(Trait.DEFAULT_PROTOCOL);
  }

  /**
   * Returns true if the members of a group do the work.
   *
   * @return true if the settings of a group must be there
   */
  public final boolean isOfAGroup() {
    return traits.contains(Trait.OF_A_GROUP);
  }

  /**
   * Returns true if a runtime calls handlers for records.
   *
   * @return true if {@code keys} must be set
   */
  public final boolean isOfHandlers() {
    return traits.contains(Trait.OF_HANDLERS);
  }

  /**
   * Returns true if threads call handlers without a client.
   *
   * @return true if the settings of handlers apply although nothing is read
   */
  public final boolean isHandlersAlone() {
    return traits.contains(Trait.HANDLERS_ALONE);
  }

  /**
   * Returns true if handlers fail for some records.
   *
   * @return true if {@code handler.fail.percent} must be set
   */
  public final boolean hasFailures() {
    return traits.contains(Trait.FAILING);
  }

  /**
   * Returns the only client that does this work, if it is none of Kafka's.
   *
   * @return {@code jdk}, {@code bare-socket}, or empty for all Kafka clients
   */
  public final String client() {
    if (traits.contains(Trait.OF_THE_JDK)) {
      return JDK;
    }
    return traits.contains(Trait.BARE) ? BARE_SOCKET : "";
  }

  /**
   * Returns true if one thread does the work, and no more.
   *
   * @return true if the work has a connection that callers cannot share
   */
  public final boolean isOfOneThread() {
    return traits.contains(Trait.ONE_THREAD);
  }

  /**
   * Returns true if one broker must lead all partitions.
   *
   * @return true if the work has one connection for all its partitions
   */
  public final boolean needsOneLeader() {
    return traits.contains(Trait.ONE_LEADER);
  }

  /**
   * Returns true if the clock can end the work.
   *
   * @return false for a work that does a number of records, however long that takes
   */
  public final boolean isTimed() {
    return !traits.contains(Trait.COUNTED);
  }

  @Override
  public final String toString() {
    return label;
  }

  /**
   * Returns the works that only one client has.
   *
   * @param client {@code jdk} or {@code bare-socket}
   * @return in the order of the services file
   */
  public static List<WorkKind> of(String client) {
    return All.KINDS.stream().filter(work -> work.client().equals(client)).toList();
  }

  /**
   * Returns all names.
   *
   * @return in the order of the services file
   */
  public static List<String> labels() {
    return All.KINDS.stream().map(WorkKind::label).toList();
  }

  /**
   * Looks up a work by a name that a user has written.
   *
   * @param label as in a file
   * @return empty if there is none
   */
  public static Optional<WorkKind> labelled(String label) {
    return All.KINDS.stream().filter(work -> work.label.equals(label)).findFirst();
  }

  /**
   * Returns the work of a name that is known to exist.
   *
   * @param label as in a file
   * @return the work
   * @throws IllegalArgumentException if there is none
   */
  @JsonCreator(mode = JsonCreator.Mode.DELEGATING)
  public static WorkKind named(String label) {
    return labelled(label).orElseThrow(
        () -> new IllegalArgumentException("there is no work \"" + label + "\"; there are " + labels()));
  }
}
