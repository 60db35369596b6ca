package dev.decant.kafka.work;

import dev.decant.kafka.KafkaException;
import dev.decant.kafka.client.KafkaClient;
import dev.decant.kafka.cluster.TopicName;
import dev.decant.kafka.consumer.ConsumerRecord;
import java.time.Duration;
import java.util.Objects;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Sends dead letters back to the topics that they come from, as their headers say under both {@link HeaderNames}. Each
 * goes with its key, value and headers, without those that made it a dead letter, and to the partition that it comes
 * from. A consumer group keeps the progress: a second run with the same group sends nothing again. Not thread-safe.
 *
 * <pre>
 * Redrive.Result result = Work.redrive(client, "orders-dead").limit(1_000).run();
 * </pre>
 */
public final class Redrive {
  private final KafkaClient client;
  private final String deadLetters;
  private String group;
  private Predicate<ConsumerRecord<byte[], byte[]>> which = record -> true;
  private long limit = Long.MAX_VALUE;
  private @Nullable String target;
  private boolean keepsTimestamps;
  private boolean isDryRun;
  private Duration patience = Duration.ofSeconds(20);

  Redrive(KafkaClient client, String deadLetters) {
    this.client = client;
    this.deadLetters = deadLetters;
    this.group = deadLetters + "-redrive";
  }

  /**
   * What a run has done.
   *
   * @param redriven dead letters that were sent and are stored; of a dry run, those that would be sent
   * @param passedOver dead letters that the predicate has excluded
   * @param unusable dead letters without a topic that they come from, or without their value
   */
  public record Result(long redriven, long passedOver, long unusable) {}

  /**
   * The consumer group that keeps the progress; the topic's name with {@code -redrive} by default.
   *
   * @param id Kafka's {@code group.id}
   * @return this
   */
  public Redrive group(String id) {
    group = Objects.requireNonNull(id, "id");
    return this;
  }

  /**
   * Sends some dead letters only. The others are passed over, and do not come again for this group.
   *
   * @param predicate says whether a dead letter is sent
   * @return this
   */
  public Redrive onlyIf(Predicate<ConsumerRecord<byte[], byte[]>> predicate) {
    which = Objects.requireNonNull(predicate, "predicate");
    return this;
  }

  /**
   * Sends at most this number of dead letters. The next run goes on behind them.
   *
   * @param records at most
   * @return this
   * @throws IllegalArgumentException if it is not positive
   */
  public Redrive limit(long records) {
    if (records < 1) {
      throw new IllegalArgumentException("limit: " + records + " is not positive");
    }
    limit = records;
    return this;
  }

  /**
   * Sends dead letters to one topic, wherever they come from. Their keys decide the partitions.
   *
   * @param topic takes them
   * @return this
   * @throws IllegalArgumentException if a topic cannot have this name, or it is the topic with the dead letters
   */
  public Redrive to(String topic) {
    target = TopicName.requireLegal("to", topic);
    if (target.equals(deadLetters)) {
      throw new IllegalArgumentException("to: " + topic + " has the dead letters that are sent; name another topic");
    }
    return this;
  }

  /**
   * Keeps the timestamps of dead letters. Without this call a record has the time when it is sent, so that the
   * retention of its topic does not delete it at once.
   *
   * @return this
   */
  public Redrive keepTimestamps() {
    keepsTimestamps = true;
    return this;
  }

  /**
   * Sends and commits nothing, and only counts.
   *
   * @return this
   */
  public Redrive dryRun() {
    isDryRun = true;
    return this;
  }

  /**
   * Sends the dead letters that are in the topic when this begins, and waits until all are stored. Runs of one group
   * share the partitions of the topic, so no letter is sent by two of them.
   *
   * @return what this run has done
   * @throws KafkaException if a topic does not exist or cannot have its name, a dead letter is not stored, or no
   *     partition of the topic comes within 20 seconds because other runs have them all; what was stored is committed
   * @throws InterruptedException if the thread was interrupted; what was stored within 10 seconds is committed
   */
  public Result run() throws InterruptedException {
    try (RedriveRun run = new RedriveRun(client, this)) {
      return run.run();
    }
  }

  /** How long a run waits for a first partition. */
  Redrive patience(Duration value) {
    patience = value;
    return this;
  }

  Duration patience() {
    return patience;
  }

  String deadLetters() {
    return deadLetters;
  }

  String group() {
    return group;
  }

  Predicate<ConsumerRecord<byte[], byte[]>> which() {
    return which;
  }

  long limit() {
    return limit;
  }

  @Nullable
  String target() {
    return target;
  }

  boolean keepsTimestamps() {
    return keepsTimestamps;
  }

  boolean isDryRun() {
    return isDryRun;
  }
}
