package dev.decant.lab.driver;

import com.fasterxml.jackson.annotation.JsonValue;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * What a client does in a sample. A new work is a class that implements {@link Work} and a constant here: its name,
 * what its latency is, which topic it needs, how it is opened, and its traits. Nothing else has a list of works.
 */
public enum WorkKind {
  /** Sends without waiting, as fast as can be or at a rate. */
  PRODUCE("produce",
      "send (at a rate: when it was due) to acknowledgement, one record in 64;"
          + " as fast as can be that is mostly queueing",
      Topic.WRITTEN, spec -> spec.load().keys().count() > 0 ? new FillKeyed(spec) : new Produce(spec),
      Trait.SEVERAL_TOPICS),
  /** Each thread sends a record and waits for its acknowledgement before the next. */
  SEND_AND_WAIT("send-and-wait", "one call that sends and waits", Topic.WRITTEN, spec -> new SendAndWait(spec),
      Trait.ONE_BY_ONE),
  /** One transaction after another. */
  TRANSACT("transact", "one transaction, from its begin until it is committed", Topic.WRITTEN,
      spec -> new Transact(spec), Trait.TRANSACTIONAL),
  /** Opens a producer and leaves one record pending in each partition. */
  PENDING("pending", "nothing", Topic.WRITTEN, spec -> new Pending(spec), Trait.COUNTED),
  /** Reads a topic whole, again and again. */
  CONSUME("consume", "one poll that returned records", Topic.READ_AGAIN, spec -> new Consume(spec),
      Trait.SEVERAL_TOPICS),
  /** Reads what another JVM writes meanwhile at a rate. */
  TAIL("tail", "one poll that returned records", Topic.FED, spec -> new Tail(spec)),
  /** Polls assigned partitions to which nobody writes; a second of that counts as a record. */
  IDLE("idle", "nothing", Topic.EMPTY, spec -> new Idle(spec)),
  /** Opens a client, joins a group and waits for the first record; in the measured JVM for the first time. */
  COLD_START("cold-start", "from before the client is opened until the first record is here", Topic.READ_FIRST,
      spec -> new ColdStart(spec), Trait.COUNTED),
  /** Threads open one client after another, each for one connection. */
  CONNECT("connect", "from before a client is opened until it knows the topic", Topic.EMPTY, spec -> new Connect(spec)),
  /** Members of a group that reads what another JVM writes join, leave and die; each such event counts as a record. */
  CHURN("churn", "an event until the members that are left have all partitions, each one, and records come", Topic.FED,
      spec -> new Churn(spec), Trait.OF_A_GROUP),
  /** Sends at a rate and receives the same records in the same JVM. */
  END_TO_END("end-to-end", "the moment a record was due to be sent until it was received", Topic.WRITTEN,
      spec -> new EndToEnd(spec), Trait.ONE_BY_ONE, Trait.RATED),
  /** Sends records without waiting, then reads them back, on one thread. */
  THERE_AND_BACK("there-and-back", "one poll that returned records", Topic.WRITTEN, spec -> new ThereAndBack(spec),
      Trait.COUNTED),
  /** Handlers work on the records of a topic that was written before, many at once. */
  WORK_KEY("work-key", "nothing", Topic.READ_FIRST, spec -> new HandleRecords(spec), Trait.OF_HANDLERS),
  /** The same with handlers that fail for some records. */
  WORK_RETRY("work-retry", "nothing", Topic.READ_FIRST, spec -> new HandleRecords(spec), Trait.OF_HANDLERS,
      Trait.FAILING),
  /** Handlers work on records that the same JVM sends at a rate. */
  WORK_PACED("work-paced",
      "the moment a record was due to be sent until its handler had ended, without records of the hot key",
      Topic.WRITTEN, spec -> new HandlePaced(spec), Trait.OF_HANDLERS, Trait.RATED),
  /** No client: threads call the handler, and do nothing else. */
  HANDLERS("handlers", "nothing", Topic.NONE, spec -> new BareHandlers(spec), Trait.OF_THE_JDK),
  /** No client: threads park and are unparked. */
  PARK("park", "nothing", Topic.NONE, spec -> new Park(spec, true), Trait.OF_THE_JDK),
  /** The same without deadlines. */
  PARK_UNTIMED("park-untimed", "nothing", Topic.NONE, spec -> new Park(spec, false), Trait.OF_THE_JDK),
  /** No client: one thread writes the same request again and again, and reads the response to each. */
  ROUND_TRIP("round-trip", "one request, from before it is written until its response is read", Topic.WRITTEN,
      spec -> new RoundTrip(spec), Trait.BARE, Trait.ONE_THREAD),
  /** No client: threads make one connection after another. */
  BARE_CONNECT("bare-connect",
      "from before a connection is made until the broker has said which broker leads the topic",
      Topic.EMPTY, spec -> new Connect(spec), Trait.BARE, Trait.ONE_LEADER),
  /** No client: one thread fetches what another JVM writes meanwhile, and reads the headers of its batches. */
  BARE_TAIL("bare-tail", "one fetch that returned records", Topic.FED, spec -> new BareTail(spec), Trait.BARE,
      Trait.ONE_THREAD, Trait.ONE_LEADER),
  /** No client: one thread reads a topic whole, again and again, and asks for more while it reads what has come. */
  BARE_CONSUME("bare-consume", "one fetch that returned records, from before its response is read", Topic.READ_AGAIN,
      spec -> new Consume(spec), Trait.BARE, Trait.ONE_THREAD, Trait.ONE_LEADER),
  /** No client: one thread sends batches without waiting, but for the response to the request before the last. */
  BARE_PRODUCE("bare-produce", "one request, from before it is written until its response is read", Topic.WRITTEN,
      spec -> new BareProduce(spec), Trait.BARE, Trait.ONE_THREAD, Trait.ONE_LEADER),
  /** No client: threads park, and one more writes a record for each and unparks it when that is acknowledged. */
  BARE_SEND_AND_WAIT("bare-send-and-wait", "one record, from before its thread says so until that runs again",
      Topic.WRITTEN, spec -> new BareSendAndWait(spec), Trait.BARE, Trait.ONE_LEADER),
  /** No client: one thread writes a request with one record at a rate, another one fetches them in the same JVM. */
  BARE_END_TO_END("bare-end-to-end", "the moment a record was due to be sent until it was received", Topic.WRITTEN,
      spec -> new BareEndToEnd(spec), Trait.BARE, Trait.ONE_THREAD, Trait.ONE_LEADER, Trait.RATED);

  /** Which topic a work needs, and where its delivery is counted. */
  public enum Topic {
    /** An own one that it writes to; the broker's end offsets say what was delivered. */
    WRITTEN,
    /** One that is written before the first sample, read whole again and again; all clients must read the same. */
    READ_AGAIN,
    /** One that is written before the first sample, of which only the first records are read. */
    READ_FIRST,
    /** One to which another JVM writes meanwhile, at {@code feed.rate}. */
    FED,
    /** One to which nobody writes. */
    EMPTY,
    /** None, and no broker. */
    NONE
  }

  /** What is special about a work. */
  private enum Trait {
    /** Several topics at once. */
    SEVERAL_TOPICS,
    /** Its latency is that of one record that is waited for, so it compares with a loop without a client. */
    ONE_BY_ONE,
    /** It commits transactions. */
    TRANSACTIONAL,
    /** It does a number of records, however long that takes. */
    COUNTED,
    /** It is done by the members of a group. */
    OF_A_GROUP,
    /** It has a rate. */
    RATED,
    /** Handlers work on records, in an order, and several at once. */
    OF_HANDLERS,
    /** Handlers fail for some records. */
    FAILING,
    /** It is done without a client, over a connection to the broker. */
    BARE,
    /** It is done without a client and without a broker. */
    OF_THE_JDK,
    /** One thread does it: callers cannot share its connection. */
    ONE_THREAD,
    /** It has one connection, so one broker must lead all partitions. */
    ONE_LEADER
  }

  /** Opens a work. */
  private interface Opening {
    Work open(WorkSpec spec) throws InterruptedException;
  }

  private final String label;
  private final String latencyOf;
  private final Topic topic;
  // A lambda of its own for each: a JVM has one client's classes, so those of the other works must not be loaded.
  @SuppressWarnings("ImmutableEnumChecker") // a lambda that captures nothing
  private final Opening opening;

  @SuppressWarnings("ImmutableEnumChecker") // nothing changes it after the constructor
  private final Set<Trait> traits;

  WorkKind(String label, String latencyOf, Topic topic, Opening opening, Trait... traits) {
    this.label = label;
    this.latencyOf = latencyOf;
    this.topic = topic;
    this.opening = opening;
    this.traits = EnumSet.noneOf(Trait.class);
    this.traits.addAll(Arrays.asList(traits));
  }

  /** Opens it with the client that this JVM is for. */
  Work open(WorkSpec spec) throws InterruptedException {
    return opening.open(spec);
  }

  /**
   * Its name in files.
   *
   * @return such as {@code produce}
   */
  @JsonValue
  public String label() {
    return label;
  }

  /**
   * What its latency is the latency of.
   *
   * @return for people
   */
  public String latencyOf() {
    return latencyOf;
  }

  /**
   * Which topic it needs.
   *
   * @return what is made for it before a sample
   */
  public Topic topic() {
    return topic;
  }

  /**
   * Tells whether it only sends.
   *
   * @return false for a work that reads, also if it reads what it has sent at a rate
   */
  public boolean isProducing() {
    return topic == Topic.WRITTEN && !traits.contains(Trait.RATED);
  }

  /**
   * Tells whether it reads a topic that is written before the first sample.
   *
   * @return whether {@code topic.records} says how large that is
   */
  public boolean readsWritten() {
    return topic == Topic.READ_AGAIN || topic == Topic.READ_FIRST;
  }

  /**
   * Tells whether it reads what another JVM writes meanwhile.
   *
   * @return whether {@code feed.rate} says how fast that writes
   */
  public boolean isFed() {
    return topic == Topic.FED;
  }

  /**
   * Tells whether it works on several topics.
   *
   * @return whether {@code topics} may be more than 1
   */
  public boolean takesSeveralTopics() {
    return traits.contains(Trait.SEVERAL_TOPICS);
  }

  /**
   * Tells whether it needs a rate.
   *
   * @return whether {@code rate} must be set
   */
  public boolean needsRate() {
    return traits.contains(Trait.RATED);
  }

  /**
   * Tells whether its latency compares with that of a loop without a client.
   *
   * @return true if that is the latency of one record that is waited for
   */
  public boolean waitsForEachRecord() {
    return traits.contains(Trait.ONE_BY_ONE);
  }

  /**
   * Tells whether it commits transactions.
   *
   * @return whether {@code transaction.records} says how large these are
   */
  public boolean isTransactional() {
    return traits.contains(Trait.TRANSACTIONAL);
  }

  /**
   * Tells whether it is done by the members of a group.
   *
   * @return whether the settings of a group must be there
   */
  public boolean isOfAGroup() {
    return traits.contains(Trait.OF_A_GROUP);
  }

  /**
   * Tells whether a runtime calls handlers for records.
   *
   * @return whether {@code keys} must be set
   */
  public boolean isOfHandlers() {
    return traits.contains(Trait.OF_HANDLERS);
  }

  /**
   * Tells whether handlers fail for some records.
   *
   * @return whether {@code handler.fail.percent} must be set
   */
  public boolean hasFailures() {
    return traits.contains(Trait.FAILING);
  }

  /**
   * Whose work it is, if it is not that of a Kafka client.
   *
   * @return {@code jdk}, {@code bare-socket}, or empty for a Kafka client
   */
  public String client() {
    if (traits.contains(Trait.OF_THE_JDK)) {
      return WorkSpec.JDK;
    }
    return traits.contains(Trait.BARE) ? WorkSpec.BARE_SOCKET : "";
  }

  /**
   * The works that only one client has.
   *
   * @param client {@code jdk} or {@code bare-socket}
   * @return in the order of this list
   */
  public static List<WorkKind> of(String client) {
    return Arrays.stream(values()).filter(work -> work.client().equals(client)).toList();
  }

  /**
   * Tells whether one thread calls it, and no more.
   *
   * @return true for who has a connection to the broker that callers cannot share
   */
  public boolean isOfOneThread() {
    return traits.contains(Trait.ONE_THREAD);
  }

  /**
   * Tells whether it needs one broker that leads all partitions.
   *
   * @return true for who has one connection to the broker, and more than one partition
   */
  public boolean needsOneLeader() {
    return traits.contains(Trait.ONE_LEADER);
  }

  /**
   * Tells whether it can be ended by the clock.
   *
   * @return false for who does a number of records, however long that takes
   */
  public boolean isTimed() {
    return !traits.contains(Trait.COUNTED);
  }

  /**
   * All names.
   *
   * @return in the order of this list
   */
  public static List<String> labels() {
    return Arrays.stream(values()).map(WorkKind::label).toList();
  }

  /**
   * The work of a name.
   *
   * @param label as in a file
   * @return empty if there is none
   */
  public static Optional<WorkKind> labelled(String label) {
    return Arrays.stream(values()).filter(work -> work.label.equals(label)).findFirst();
  }
}
