package dev.decant.kafka.consumer;

import java.util.Arrays;
import java.util.Locale;
import java.util.stream.Collectors;

/**
 * Settings of a consumer, with Kafka's names and units, defaults and bounds. Numbers are in that unit; a flag counts as
 * 1 or 0; a text has no bounds.
 */
public enum ConsumerSetting {
  /** How long a broker may wait for {@link #FETCH_MIN_BYTES}. */
  FETCH_MAX_WAIT("fetch.max.wait.ms",
      "How long a broker may wait for fetch.min.bytes.", Unit.MILLIS, "500", 0, 25_000),
  /** Number of bytes for which a broker waits. */
  FETCH_MIN_BYTES("fetch.min.bytes",
      "Bytes that a broker waits for.", Unit.BYTES, "1", 1, Integer.MAX_VALUE),
  /**
   * Bound of a response, except for a larger first batch. Kafka: 52428800. A fetch asks for half of the client's free
   * fetch memory at most.
   */
  FETCH_MAX_BYTES("fetch.max.bytes",
      "Bound of a response, except for a larger first batch. Kafka: 52428800. A fetch asks for half of the client's"
          + " free fetch memory at most.",
      Unit.BYTES, "33554432", 1, Integer.MAX_VALUE),
  /** Bound of one partition's part of a response, except for a larger first batch. */
  MAX_PARTITION_FETCH_BYTES("max.partition.fetch.bytes",
      "Bound of one partition's part of a response, except for a larger first batch.", Unit.BYTES, "1048576", 1,
      Integer.MAX_VALUE),
  /** Most records that a poll delivers. */
  MAX_POLL_RECORDS("max.poll.records",
      "Most records that a poll delivers.", Unit.COUNT, "500", 1, Integer.MAX_VALUE),
  /** Where a partition without a position begins. */
  OFFSET_RESET("auto.offset.reset",
      "Where a partition without a position begins: earliest, latest, none or by_duration:PT1H.", Unit.TEXT, "latest",
      0, 0),
  /** Which records of transactions are delivered. */
  ISOLATION_LEVEL("isolation.level",
      "Records of transactions to deliver: read_uncommitted for all, read_committed for committed ones.",
      Unit.TEXT, "read_uncommitted", 0, 0),
  /** Id of the group; empty for none. */
  GROUP("group.id",
      "The group; empty for none.", Unit.TEXT, "", 0, 0),
  /** Makes the member a static one (KIP-345): it keeps its partitions until its session expires. */
  GROUP_INSTANCE("group.instance.id",
      "Makes the member static: it keeps its partitions until its session expires. Empty for a dynamic member.",
      Unit.TEXT,
      "", 0, 0),
  /** Rack of the consumer. The assignor uses it, and leaders name a follower there to read from (KIP-392). */
  RACK("client.rack",
      "The consumer's rack; empty for none. The assignor uses it, and leaders name a follower there to read from.",
      Unit.TEXT, "", 0, 0),
  /** The broker's assignor; empty for the broker's first. */
  ASSIGNOR("group.remote.assignor",
      "The broker's assignor, such as uniform or range; empty for the broker's first.", Unit.TEXT, "", 0, 0),
  /** Which side assigns partitions to members. */
  GROUP_PROTOCOL("group.protocol",
      "The group protocol: consumer (the broker assigns the partitions) or classic (the leader of the group does).",
      Unit.TEXT,
      "consumer", 0, 0),
  /** Assignors of the group's leader, by preference; classic groups only. */
  ASSIGNORS("partition.assignment.strategy",
      "Classic groups only: assignors by preference, with commas: range, roundrobin, cooperative-sticky, or the names"
          + " of Apache's classes.",
      Unit.TEXT, "range,cooperative-sticky", 0, 0),
  /** Silence after which the group removes a member; classic groups only. */
  SESSION_TIMEOUT("session.timeout.ms",
      "Classic groups only: the group removes a member that is silent for so long.", Unit.MILLIS, "45000", 1,
      Integer.MAX_VALUE),
  /** Interval of heartbeats; classic groups only. */
  HEARTBEAT_INTERVAL("heartbeat.interval.ms",
      "Classic groups only: interval of heartbeats, which also report rebalances.", Unit.MILLIS, "3000", 1,
      Integer.MAX_VALUE),
  /** Interval of requests for topics that appear or grow; classic groups only. */
  METADATA_MAX_AGE("metadata.max.age.ms",
      "Classic groups only: how often to look for topics that match a pattern or have grown. The client's"
          + " `metadataMaxAge` unless it is set.",
      Unit.MILLIS, "300000",
      100, Integer.MAX_VALUE),
  /** Whether processed records are committed by time, before a revocation, and on close. */
  AUTO_COMMIT("enable.auto.commit",
      "Commit processed records: by time, before a revocation, and on close.", Unit.FLAG, "true", 0, 1),
  /** Interval of automatic commits. */
  AUTO_COMMIT_INTERVAL("auto.commit.interval.ms",
      "Interval of automatic commits.", Unit.MILLIS, "5000", 1, Integer.MAX_VALUE),
  /** Longest time without a poll before the member leaves, until the next poll; 0 for no bound. */
  MAX_POLL_INTERVAL("max.poll.interval.ms",
      "Longest time without a poll before the member leaves its group; 0 for no bound. Kafka: 300000.",
      Unit.MILLIS, "0", 0, Integer.MAX_VALUE),
  /** How long the group waits for a member to revoke partitions. Kafka uses {@code max.poll.interval.ms} for this. */
  REVOCATION_TIMEOUT("decant.revocation.timeout.ms",
      "How long the group waits for a member to revoke partitions. Kafka uses max.poll.interval.ms for this too.",
      Unit.MILLIS, "300000", 100, Integer.MAX_VALUE),
  /** How long a call without a timeout of its own may take. */
  API_TIMEOUT("default.api.timeout.ms",
      "How long a call without a time-out of its own may take, such as commit().", Unit.MILLIS, "60000", 1,
      Integer.MAX_VALUE);

  /** Kind of a value, with its unit. */
  private enum Unit {
    FLAG, MILLIS, BYTES, COUNT, TEXT
  }

  private final String kafkaName;
  private final String meaning;
  private final Unit unit;
  private final String defaultValue;
  private final long least;
  private final long most;

  ConsumerSetting(String kafkaName, String meaning, Unit unit, String defaultValue, long least, long most) {
    this.kafkaName = kafkaName;
    this.meaning = meaning;
    this.unit = unit;
    this.defaultValue = defaultValue;
    this.least = least;
    this.most = most;
  }

  /**
   * Returns the name in Kafka's documents.
   *
   * @return such as {@code max.poll.records}
   */
  public String kafkaName() {
    return kafkaName;
  }

  /**
   * Returns the meaning of the setting in one or two sentences.
   *
   * @return text for documents
   */
  public String meaning() {
    return meaning;
  }

  /**
   * Returns the default.
   *
   * @return as Kafka's properties write it
   */
  public String defaultValue() {
    return defaultValue;
  }

  /**
   * Returns the smallest number that is accepted.
   *
   * @return as Kafka's properties write it; empty for texts and flags
   */
  public String least() {
    return unit == Unit.TEXT || unit == Unit.FLAG ? "" : Long.toString(least);
  }

  /**
   * Returns the setting of a name.
   *
   * @param kafkaName as Kafka writes it
   * @return the setting
   * @throws IllegalArgumentException if there is none; the message lists all
   */
  public static ConsumerSetting of(String kafkaName) {
    for (ConsumerSetting setting : values()) {
      if (setting.kafkaName.equals(kafkaName)) {
        return setting;
      }
    }
    throw new IllegalArgumentException(kafkaName + ": a consumer has no such setting; there are "
        + Arrays.stream(values()).map(ConsumerSetting::kafkaName).collect(Collectors.joining(", ")));
  }

  /**
   * Checks a value and returns it as Kafka's properties write it.
   *
   * @param text such as {@code true} or {@code 500}
   * @return the same, in the form of {@link #defaultValue}
   * @throws IllegalArgumentException if it is no value of this setting; the message names both
   */
  public String parse(String text) {
    String plain = text.strip();
    return switch (unit) {
      case TEXT -> switch (this) {
        case OFFSET_RESET -> OffsetReset.of(plain).toString();
        case GROUP_PROTOCOL -> GroupProtocol.of(plain).text();
        case ASSIGNORS -> ClassicOptions.checkedNames(plain);
        case ISOLATION_LEVEL -> IsolationLevel.of(plain).text();
        default -> plain;
      };
      case FLAG -> flag(plain.toLowerCase(Locale.ROOT));
      case MILLIS, BYTES, COUNT -> Long.toString(amount(plain));
    };
  }

  private String flag(String text) {
    if (!text.equals("true") && !text.equals("false")) {
      throw new IllegalArgumentException(kafkaName + ": \"" + text + "\" is no flag: use true or false");
    }
    return text;
  }

  private long amount(String text) {
    long value;
    try {
      value = Long.parseLong(text);
    } catch (NumberFormatException e) {
      throw new IllegalArgumentException(kafkaName + ": \"" + text + "\" is no number of " + switch (unit) {
        case MILLIS -> "milliseconds";
        case BYTES -> "bytes";
        default -> "records";
      }, e);
    }
    if (value < least) {
      throw new IllegalArgumentException(kafkaName + ": " + value + " is less than " + least);
    }
    if (value > most) {
      throw new IllegalArgumentException(kafkaName + ": " + value + " is more than " + most);
    }
    return value;
  }
}
