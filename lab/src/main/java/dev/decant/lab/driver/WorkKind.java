package dev.decant.lab.driver;

import com.fasterxml.jackson.annotation.JsonProperty;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/** What a client does in a sample. */
public enum WorkKind {
  /** Sends without waiting, as fast as can be or at a rate. */
  @JsonProperty("produce")
  PRODUCE("produce", "send (at a rate: when it was due) to acknowledgement, one record in 64;"
      + " as fast as can be that is mostly queueing"),
  /** Each thread sends a record and waits for its acknowledgement before the next. */
  @JsonProperty("send-and-wait")
  SEND_AND_WAIT("send-and-wait", "one call that sends and waits"),
  /** One transaction after another. */
  @JsonProperty("transact")
  TRANSACT("transact", "one transaction, from its begin until it is committed"),
  /** Opens a producer and leaves one record pending in each partition. */
  @JsonProperty("pending")
  PENDING("pending", "nothing"),
  /** Reads a topic whole, again and again. */
  @JsonProperty("consume")
  CONSUME("consume", "one poll that returned records"),
  /** Reads what another JVM writes meanwhile at a rate. */
  @JsonProperty("tail")
  TAIL("tail", "one poll that returned records"),
  /** Polls assigned partitions to which nobody writes; a second of that counts as a record. */
  @JsonProperty("idle")
  IDLE("idle", "nothing"),
  /** Opens a client, joins a group and waits for the first record; in the measured JVM for the first time. */
  @JsonProperty("cold-start")
  COLD_START("cold-start", "from before the client is opened until the first record is here"),
  /** Threads open one client after another, each for one connection. */
  @JsonProperty("connect")
  CONNECT("connect", "from before a client is opened until it knows the topic"),
  /** Members of a group that reads what another JVM writes join, leave and die; each such event counts as a record. */
  @JsonProperty("churn")
  CHURN("churn", "an event until the members that are left have all partitions, each one, and records come"),
  /** Sends at a rate and receives the same records in the same JVM. */
  @JsonProperty("end-to-end")
  END_TO_END("end-to-end", "the moment a record was due to be sent until it was received"),
  /** Sends records without waiting, then reads them back, on one thread. */
  @JsonProperty("there-and-back")
  THERE_AND_BACK("there-and-back", "one poll that returned records"),
  /** No client: threads park and are unparked. */
  @JsonProperty("park")
  PARK("park", "nothing"),
  /** The same without deadlines. */
  @JsonProperty("park-untimed")
  PARK_UNTIMED("park-untimed", "nothing"),
  /** No client: threads make one connection after another. */
  @JsonProperty("bare-connect")
  BARE_CONNECT("bare-connect", "from before a connection is made until the broker has answered who leads the topic"),
  /** No client: one thread writes the same request again and again, and reads the answer to each. */
  @JsonProperty("round-trip")
  ROUND_TRIP("round-trip", "one request, from before it is written until its answer is read"),
  /** No client: one thread fetches what another JVM writes meanwhile, and reads the headers of its batches. */
  @JsonProperty("bare-tail")
  BARE_TAIL("bare-tail", "one fetch that returned records"),
  /** No client: one thread reads a topic whole, again and again, and asks for more while it reads what has come. */
  @JsonProperty("bare-consume")
  BARE_CONSUME("bare-consume", "one fetch that returned records, from before its answer is read"),
  /** No client: one thread sends batches without waiting, but for the answer to the request before the last. */
  @JsonProperty("bare-produce")
  BARE_PRODUCE("bare-produce", "one request, from before it is written until its answer is read"),
  /** No client: threads park, and one more writes a record for each and unparks it when that is acknowledged. */
  @JsonProperty("bare-send-and-wait")
  BARE_SEND_AND_WAIT("bare-send-and-wait", "one record, from before its thread says so until that runs again"),
  /** No client: one thread writes a request with one record at a rate, another one fetches them in the same JVM. */
  @JsonProperty("bare-end-to-end")
  BARE_END_TO_END("bare-end-to-end", "the moment a record was due to be sent until it was received");

  private final String label;
  private final String latencyOf;

  WorkKind(String label, String latencyOf) {
    this.label = label;
    this.latencyOf = latencyOf;
  }

  /**
   * Its name in files.
   *
   * @return such as {@code produce}
   */
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
   * Tells whether it writes to a topic of its own, so that the broker's end offsets say what was delivered.
   *
   * @return false for who reads a topic that was written before, or none
   */
  public boolean writes() {
    return this == PRODUCE || this == SEND_AND_WAIT || this == TRANSACT || this == PENDING || this == END_TO_END
        || this == THERE_AND_BACK || this == ROUND_TRIP || this == BARE_PRODUCE || this == BARE_SEND_AND_WAIT
        || this == BARE_END_TO_END;
  }

  /**
   * Tells whether it reads a topic that is written before the first sample.
   *
   * @return whether {@code topic.records} says how large that is
   */
  public boolean readsWritten() {
    return this == CONSUME || this == COLD_START || this == BARE_CONSUME;
  }

  /**
   * Tells whether it reads what another JVM writes meanwhile.
   *
   * @return whether {@code feed.rate} says how fast that writes
   */
  public boolean isFed() {
    return this == TAIL || this == CHURN || this == BARE_TAIL;
  }

  /**
   * Tells whether one thread calls it, and no more.
   *
   * @return true for who has a connection to the broker that callers cannot share
   */
  public boolean isOfOneThread() {
    return this == ROUND_TRIP || this == BARE_TAIL || this == BARE_CONSUME || this == BARE_PRODUCE
        || this == BARE_END_TO_END;
  }

  /**
   * Tells whether it needs one broker that leads all partitions.
   *
   * @return true for who has one connection to the broker, and more than one partition
   */
  public boolean needsOneLeader() {
    return this == BARE_CONNECT || this == BARE_TAIL || this == BARE_CONSUME || this == BARE_PRODUCE
        || this == BARE_SEND_AND_WAIT
        || this == BARE_END_TO_END;
  }

  /**
   * Tells whether it can be ended by the clock.
   *
   * @return false for who does a number of records, however long that takes
   */
  public boolean isTimed() {
    return this != PENDING && this != COLD_START && this != THERE_AND_BACK;
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
