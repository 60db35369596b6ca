package dev.decant.kafka.producer;

import dev.decant.kafka.memory.SendMemory;
import dev.decant.kafka.record.CompressionType;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;

/**
 * The settings of a producer: each with Kafka's name and unit, its default and its bounds. Values are numbers in that
 * unit; {@code acks=all} is -1, a flag 1 or 0.
 */
public enum ProducerSetting {
  /** The replicas that must have a record before it counts as stored. */
  ACKS("acks",
      "The replicas that must have a record before it counts as stored: all in sync, 1 for the leader, 0 for none.",
      Unit.ACKS, -1, -1, 1),
  /** Retries cause neither duplicates nor disorder; needs {@code acks=all}. */
  IDEMPOTENCE("enable.idempotence",
      "No duplicates and no disorder by retries; needs acks=all.", Unit.FLAG, 1, 0, 1),
  /** How long a batch waits for more records. Kafka's own default is 5 since version 4.0. */
  LINGER("linger.ms",
      "How long a batch waits for more records. Kafka's own default is 5 since version 4.0.", Unit.MILLIS, 0, 0,
      Integer.MAX_VALUE),
  /** Bound of a batch with more than one record. */
  BATCH_SIZE("batch.size",
      "Bound of a batch with more than one record, before compression.", Unit.BYTES, 16 * 1024, 1, Chunk.LARGEST_BYTES),
  /**
   * Bound of the direct memory of records that are not acknowledged. Without it, producers share the client's memory.
   */
  BUFFER_MEMORY("buffer.memory",
      "Bound of the direct memory for unacknowledged records. Unless it is set, the producers of a client share one"
          + " bound of this size, the client's `bufferMemory`.",
      Unit.BYTES, 32 << 20, SendMemory.SMALLEST_BYTES,
      Long.MAX_VALUE),
  /** Bound of a request, and of a record. */
  MAX_REQUEST_SIZE("max.request.size",
      "Bound of a request, and of a record.", Unit.BYTES, 1 << 20, 1024, Integer.MAX_VALUE),
  /** How long opening waits for metadata, and sending for memory. */
  MAX_BLOCK("max.block.ms",
      "How long open waits for metadata, and send for memory.", Unit.MILLIS, 60_000, 0, Integer.MAX_VALUE),
  /** Time from the first record of a batch to its acknowledgement, all retries included. */
  DELIVERY_TIMEOUT("delivery.timeout.ms",
      "Time from the first record of a batch to its acknowledgement, with all retries.", Unit.MILLIS, 120_000, 0,
      Integer.MAX_VALUE),
  /**
   * Pause before the first retry of a batch; twice as long before each further one (KIP-580), with a jitter of 20 %.
   */
  RETRY_BACKOFF("retry.backoff.ms",
      "Pause before the first retry of a batch. It doubles with each retry (KIP-580), with a jitter of 20 %.",
      Unit.MILLIS, 100, 0, Integer.MAX_VALUE),
  /** Longest pause to which {@link #RETRY_BACKOFF} grows. */
  RETRY_BACKOFF_MAX("retry.backoff.max.ms",
      "Bound of that pause.", Unit.MILLIS, 1_000, 0, Integer.MAX_VALUE),
  /** How often a batch is sent again at most; {@link #DELIVERY_TIMEOUT} bounds retries too. */
  RETRIES("retries",
      "How often a batch is sent again at most, within `delivery.timeout.ms`.", Unit.COUNT, Integer.MAX_VALUE, 0,
      Integer.MAX_VALUE),
  /**
   * Batches of one partition in flight; more than 5 count as 5. With 1, records stay in order without idempotence too.
   */
  MAX_IN_FLIGHT("max.in.flight.requests.per.connection",
      "Batches of one partition in flight. More than 5 count as 5. With 1, records stay in order without idempotence"
          + " too.",
      Unit.COUNT, 5, 1, Integer.MAX_VALUE),
  /** How batches are compressed: none, gzip, snappy, lz4 or zstd; the last three need a module. */
  COMPRESSION("compression.type",
      "Codec of batches: none, gzip, snappy, lz4 or zstd. The last three need a module.", Unit.CODEC,
      CompressionType.NONE.id(), CompressionType.NONE.id(), CompressionType.ZSTD.id()),
  /** Level of gzip, 1 to 9; -1 is what zlib takes for the best compromise. */
  GZIP_LEVEL("compression.gzip.level",
      "Level of gzip, 1 to 9. -1 is zlib's own default.", Unit.LEVEL, -1, -1, 9),
  /** Level of lz4, 1 to 17. As in Kafka 9 is the fast compressor; so are 1 and 2, the others search longer. */
  LZ4_LEVEL("compression.lz4.level",
      "Level of lz4, 1 to 17. 1, 2 and 9 are the fast compressor, as in Kafka; the others search longer.",
      Unit.LEVEL, 9, 1, 17),
  /** Level of zstd, up to 22; below 0 faster and weaker. */
  ZSTD_LEVEL("compression.zstd.level",
      "Level of zstd, up to 22; below 0 faster and weaker.", Unit.LEVEL, 3, -(1 << 17), 22);

  /** Unit of a value. */
  private enum Unit {
    ACKS, FLAG, MILLIS, BYTES, CODEC, LEVEL, COUNT
  }

  private static final long ACKS_ALL = -1;
  /** Texts of the values, in the order of their numbers. */
  private static final List<String> CODECS = Arrays.stream(CompressionType.values())
      .map(type -> type.name().toLowerCase(Locale.ROOT)).toList();

  private final String kafkaName;
  private final String meaning;
  private final Unit unit;
  private final long defaultValue;
  private final long least;
  private final long most;

  ProducerSetting(String kafkaName, String meaning, Unit unit, long defaultValue, long least, long most) {
    this.kafkaName = kafkaName;
    this.meaning = meaning;
    this.unit = unit;
    this.defaultValue = defaultValue;
    this.least = least;
    this.most = most;
  }

  /**
   * The name in Kafka's documents.
   *
   * @return for instance {@code linger.ms}
   */
  public String kafkaName() {
    return kafkaName;
  }

  /**
   * Describes the setting in a sentence or two.
   *
   * @return for documents
   */
  public String meaning() {
    return meaning;
  }

  /**
   * The least value accepted.
   *
   * @return in Kafka's unit
   */
  public long least() {
    return least;
  }

  /**
   * The largest value accepted.
   *
   * @return in Kafka's unit
   */
  public long most() {
    return most;
  }

  /**
   * The value if neither a call nor a preset sets another.
   *
   * @return in Kafka's unit
   */
  public long defaultValue() {
    return defaultValue;
  }

  /**
   * The setting of a name.
   *
   * @param kafkaName as Kafka writes it
   * @return the setting
   * @throws IllegalArgumentException if there is none; the message lists all
   */
  public static ProducerSetting of(String kafkaName) {
    for (ProducerSetting setting : values()) {
      if (setting.kafkaName.equals(kafkaName)) {
        return setting;
      }
    }
    throw new IllegalArgumentException(kafkaName + ": a producer has no such setting; there are "
        + Arrays.stream(values()).map(ProducerSetting::kafkaName).collect(Collectors.joining(", ")));
  }

  /**
   * A value as Kafka's properties write it.
   *
   * @param value in Kafka's unit
   * @return for instance {@code all}, {@code true} or {@code 100}
   */
  public String format(long value) {
    return switch (unit) {
      case ACKS -> value == ACKS_ALL ? "all" : Long.toString(value);
      case FLAG -> Boolean.toString(value == 1);
      case CODEC -> CODECS.get((int) value);
      case MILLIS, BYTES, LEVEL, COUNT -> Long.toString(value);
    };
  }

  /**
   * Reads a value as Kafka's properties write it.
   *
   * @param text for instance {@code all}, {@code true} or {@code 100}
   * @return in Kafka's unit, within the bounds
   * @throws IllegalArgumentException if it is no value of this setting; the message names both
   */
  public long parse(String text) {
    String plain = text.strip().toLowerCase(Locale.ROOT);
    if (unit == Unit.FLAG && (plain.equals("true") || plain.equals("false"))) {
      return plain.equals("true") ? 1 : 0;
    }
    if (unit == Unit.ACKS && plain.equals("all")) {
      return ACKS_ALL;
    }
    if (unit == Unit.CODEC && CODECS.contains(plain)) {
      return CODECS.indexOf(plain);
    }
    try {
      if (unit != Unit.FLAG && unit != Unit.CODEC) {
        return checked(Long.parseLong(plain));
      }
    } catch (NumberFormatException e) {
      throw new IllegalArgumentException(unreadable(text), e);
    }
    throw new IllegalArgumentException(unreadable(text));
  }

  private String unreadable(String text) {
    return kafkaName + ": \"" + text + "\" is no " + switch (unit) {
      case ACKS -> "value of acks: use all, 1 or 0";
      case FLAG -> "flag: use true or false";
      case MILLIS -> "number of milliseconds";
      case BYTES -> "number of bytes";
      case CODEC -> "compression: use " + String.join(", ", CODECS);
      case LEVEL -> "level: use a number";
      case COUNT -> "number";
    };
  }

  long checked(long value) {
    if (value < least) {
      throw new IllegalArgumentException(kafkaName + ": " + value + " is less than " + least);
    }
    if (value > most) {
      throw new IllegalArgumentException(kafkaName + ": " + value + " is more than " + most);
    }
    if (this == GZIP_LEVEL && value == 0) {
      throw new IllegalArgumentException(kafkaName + ": 0 does not compress; use -1, or 1 to 9");
    }
    return value;
  }
}
