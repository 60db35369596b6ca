package dev.decant.kafka.work;

import dev.decant.kafka.Header;
import dev.decant.kafka.KafkaException;
import dev.decant.kafka.KafkaTimeoutException;
import dev.decant.kafka.OffsetAndMetadata;
import dev.decant.kafka.PartitionInfo;
import dev.decant.kafka.TopicPartition;
import dev.decant.kafka.assignor.Assignors;
import dev.decant.kafka.client.KafkaClient;
import dev.decant.kafka.cluster.TopicName;
import dev.decant.kafka.consumer.Consumer;
import dev.decant.kafka.consumer.ConsumerBuilder;
import dev.decant.kafka.consumer.ConsumerRecord;
import dev.decant.kafka.consumer.GroupProtocol;
import dev.decant.kafka.consumer.IsolationLevel;
import dev.decant.kafka.consumer.OffsetReset;
import dev.decant.kafka.consumer.RebalanceListener;
import dev.decant.kafka.internal.OffsetWindow;
import dev.decant.kafka.producer.AnyTopicProducer;
import dev.decant.kafka.producer.SendListener;
import dev.decant.kafka.producer.SendOptions;
import dev.decant.kafka.protocol.ErrorCode;
import dev.decant.kafka.serialization.Serdes;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.jspecify.annotations.Nullable;

/**
 * A run of a {@link Redrive}. It is a member of the group that keeps the progress, so two runs at once have different
 * partitions: with committed offsets alone, both would read the same ones and send each letter twice. The classic
 * protocol serves because brokers of all releases have it. One thread; the client's loop reports what is stored.
 */
final class RedriveRun implements AutoCloseable {
  private static final Duration POLL = Duration.ofMillis(100);
  private static final Duration TIMEOUT = Duration.ofSeconds(30);
  /** How long a run waits for stored records at its end: longer than the timeout of a send. */
  private static final Duration FLUSH = Duration.ofMinutes(3);
  /** How long a run that has failed waits for records that it sent before. */
  private static final Duration LAST_FLUSH = Duration.ofSeconds(10);
  private static final int METADATA = 4096;
  private static final int NO_PARTITION = -1;
  /** A run that was killed keeps its partitions from the next run for this time. */
  private static final Duration SESSION = Duration.ofSeconds(10);
  /** After this time at most, a run learns from the coordinator that another run has joined. */
  private static final Duration HEARTBEAT = Duration.ofSeconds(1);

  /** How far the run has come in a partition of the dead letters. */
  private static final class Progress {
    final OffsetWindow window = new OffsetWindow();
    final long end;
    final DoneOffsets before;
    boolean isDirty;

    Progress(long end, DoneOffsets before) {
      this.end = end;
      this.before = before;
    }

    OffsetAndMetadata committable() {
      long offset = window.size() == 0 ? window.last() + 1 : window.first();
      return new OffsetAndMetadata(offset, -1, DoneOffsets.of(window, before).encode(offset, METADATA));
    }
  }

  /** Takes the outcome of a record that was sent. Called on the client's loop. */
  private final class Outcome implements SendListener {
    private final Progress of;
    private final long place;
    private volatile @Nullable KafkaException failure;

    Outcome(Progress of, long place) {
      this.of = of;
      this.place = place;
    }

    @Override
    public void onAck(long tag, int partition, long offset, long timestamp) {
      outcomes.add(this);
    }

    @Override
    public void onFailure(long tag, KafkaException error) {
      failure = error;
      outcomes.add(this);
    }
  }

  /** Takes partitions, and commits those that go to another run. Called in the polls. */
  private final class Partitions implements RebalanceListener {
    @Override
    public void onAssigned(List<TopicPartition> assigned) throws InterruptedException {
      isAssigned = true;
      try {
        begin(assigned, reader.committed(assigned, TIMEOUT));
      } catch (KafkaException e) {
        failure = e;
      }
    }

    @Override
    public void onRevoked(List<TopicPartition> revoked) throws InterruptedException {
      settle();
      progress.keySet().removeAll(revoked);
    }

    @Override
    public void onLost(List<TopicPartition> lost) {
      progress.keySet().removeAll(lost);
      isAssigned = false; // this run joins again, and has not read to the ends
      waitsSince = System.nanoTime();
    }
  }

  private final KafkaClient client;
  private final Redrive settings;
  /** Reads letters; a member of the group, unless this is a dry run. */
  private Consumer<byte[], byte[]> reader;
  private final AnyTopicProducer<byte[], byte[]> producer;
  /** The partitions that this run has now. */
  private final Map<TopicPartition, Progress> progress = new HashMap<>();
  /** The ends that all partitions had when the run began: letters that come later are for another run. */
  private final Map<TopicPartition, Long> ends = new HashMap<>();
  private final Map<String, Integer> partitions = new HashMap<>();
  private final ConcurrentLinkedQueue<Outcome> outcomes = new ConcurrentLinkedQueue<>();
  private final SendOptions options = new SendOptions();
  private @Nullable KafkaException failure;
  private long sent;
  private long stored;
  private long passedOver;
  private long unusable;
  /** True once the group has given this run a partition, until it has lost its membership. */
  private boolean isAssigned;
  private long waitsSince;

  RedriveRun(KafkaClient client, Redrive settings) {
    this.client = client;
    this.settings = settings;
    this.reader = reader().open();
    this.producer = client.producer(Serdes.bytes(), Serdes.bytes()).openForAnyTopic();
  }

  /** Reads committed letters: a work that repeats a transaction has written those of the aborted one, too. */
  private ConsumerBuilder<byte[], byte[]> reader() {
    return client.consumer(Serdes.bytes(), Serdes.bytes()).group(settings.group()).autoCommit(false)
        .offsetReset(OffsetReset.EARLIEST).isolationLevel(IsolationLevel.READ_COMMITTED);
  }

  Redrive.Result run() throws InterruptedException {
    boolean hasSome = begin();
    if (hasSome && !settings.isDryRun()) {
      join();
    }
    try {
      send(hasSome);
      if (!producer.flush(FLUSH)) {
        throw new KafkaTimeoutException("redrive of " + settings.deadLetters() + ": not all records were stored within "
            + FLUSH, null);
      }
    } finally {
      settle();
    }
    KafkaException failed = failure;
    if (failed != null) {
      throw new KafkaException(failed.code(), "redrive of " + settings.deadLetters() + " has stopped after " + stored
          + " records: " + failed.getMessage(), failed);
    }
    return new Redrive.Result(settings.isDryRun() ? sent : stored, passedOver, unusable);
  }

  /** Sends letters until all are read. An error of the group, such as a lost membership, ends the run. */
  private void send(boolean hasSome) throws InterruptedException {
    try {
      while (hasSome && sent < settings.limit() && failure == null && !isAllRead()) {
        reader.poll(POLL, this::take);
        take(outcomes);
        commit();
      }
    } catch (KafkaException e) {
      failure = e;
    }
  }

  /**
   * Commits the letters that are stored, because they must not be sent again. An error ends the run, as its first one.
   * A thread that was interrupted stays so.
   */
  private void settle() throws InterruptedException {
    boolean wasInterrupted = Thread.interrupted();
    try {
      boolean unused = producer.flush(LAST_FLUSH);
      take(outcomes);
      commit();
    } catch (KafkaException e) {
      failure = failure == null ? e : failure;
    } finally {
      if (wasInterrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }

  /** Finds where the topic ends and where a dry run begins. Returns false if nothing is left to be sent. */
  private boolean begin() throws InterruptedException {
    List<TopicPartition> ids = new ArrayList<>();
    for (PartitionInfo partition : reader.partitionsFor(settings.deadLetters(), TIMEOUT)) {
      ids.add(new TopicPartition(settings.deadLetters(), partition.partition()));
    }
    if (ids.isEmpty()) {
      throw new KafkaException(ErrorCode.UNKNOWN_TOPIC_OR_PARTITION,
          "there is no topic " + settings.deadLetters() + " with dead letters");
    }
    ends.putAll(reader.endOffsets(ids, TIMEOUT));
    reader.assign(ids);
    return begin(ids, reader.committed(ids, TIMEOUT));
  }

  /** Begins to read partitions behind what is committed. Returns false if they have nothing more. */
  private boolean begin(List<TopicPartition> ids, Map<TopicPartition, OffsetAndMetadata> committed)
      throws InterruptedException {
    Map<TopicPartition, Long> begins = reader.beginningOffsets(ids, TIMEOUT);
    boolean hasSome = false;
    for (TopicPartition id : ids) {
      OffsetAndMetadata at = committed.get(id);
      long from = Math.max(begins.getOrDefault(id, 0L), at == null ? 0 : at.offset());
      long end = ends.getOrDefault(id, 0L);
      progress.put(id, new Progress(end,
          at == null ? DoneOffsets.NONE : DoneOffsets.decode(at.offset(), at.metadata())));
      reader.seek(id.topic(), id.partition(), from);
      hasSome |= from < end;
    }
    return hasSome;
  }

  /** Becomes a member of the group, which gives this run partitions that no other run has. */
  private void join() {
    reader.close();
    progress.clear();
    waitsSince = System.nanoTime();
    reader = reader().groupProtocol(GroupProtocol.CLASSIC).assignors(Assignors.cooperativeSticky())
        .sessionTimeout(SESSION).heartbeatInterval(HEARTBEAT).subscribe(settings.deadLetters())
        .rebalanceListener(new Partitions()).open();
  }

  /** Returns true if the partitions of this run are read to their ends. A run that gets none in time has failed. */
  private boolean isAllRead() {
    if (!settings.isDryRun() && !isAssigned) {
      if (System.nanoTime() - waitsSince - settings.patience().toNanos() > 0) {
        failure = noPartition();
      }
      return false;
    }
    return progress.keySet().stream().allMatch(this::isRead);
  }

  private KafkaException noPartition() {
    String within = " within " + settings.patience().toSeconds() + " s";
    return reader.groupMetadata().generation() < 0
        ? new KafkaTimeoutException("group " + settings.group() + " has not taken this run as a member" + within, null)
        : new KafkaException(ErrorCode.NONE, "no partition was free" + within + ": other members of group "
            + settings.group() + " have them, such as another run; wait for its end");
  }

  private boolean isRead(TopicPartition id) {
    OffsetAndMetadata position = reader.positions().get(id);
    Progress of = progress.get(id);
    return of == null || (position != null && position.offset() >= of.end);
  }

  private void take(ConsumerRecord<byte[], byte[]> record) throws InterruptedException {
    Progress of = progress.get(new TopicPartition(record.topic(), record.partition()));
    if (of == null || failure != null || sent >= settings.limit() || record.offset() >= of.end) {
      return; // the record is not in the window, so no commit passes it
    }
    long place = of.window.add(record.offset());
    of.isDirty = true;
    if (of.before.contains(record.offset())) {
      boolean unused = of.window.acknowledgeAt(place);
      return;
    }
    if (!settings.which().test(record)) {
      passedOver++;
      boolean unused = of.window.acknowledgeAt(place);
      return;
    }
    String topic = settings.target() != null ? settings.target() : DeadLetters.topicOf(record);
    if (topic == null || record.header(DeadLetters.VALUE_LENGTH) != null) {
      unusable++;
      boolean unused = of.window.acknowledgeAt(place);
      return;
    }
    if (!isTaken(record, topic)) {
      return;
    }
    sent++;
    if (!settings.isDryRun()) {
      send(record, topic, new Outcome(of, place));
    }
  }

  /**
   * Checks the name of the topic, which any writer of the dead-letter topic may have chosen. A bad name ends the run.
   */
  private boolean isTaken(ConsumerRecord<byte[], byte[]> record, String topic) {
    String what = null;
    try {
      if (TopicName.requireLegal(topic).equals(settings.deadLetters())) {
        what = "it would go to its own topic";
      }
    } catch (IllegalArgumentException e) {
      what = e.getMessage();
    }
    if (what != null) {
      failure = new KafkaException(ErrorCode.INVALID_TOPIC_EXCEPTION,
          letter(record) + ": " + what + "; use to(topic), or leave it out");
    }
    return what == null;
  }

  private static String letter(ConsumerRecord<byte[], byte[]> record) {
    return record.topic() + "-" + record.partition() + " offset " + record.offset();
  }

  private void send(ConsumerRecord<byte[], byte[]> record, String topic, Outcome outcome) throws InterruptedException {
    options.clear();
    if (settings.keepsTimestamps() && record.timestamp() >= 0) {
      options.timestamp(record.timestamp());
    }
    for (Header header : record.headers()) {
      if (!isOfDeadLetters(header.key())) {
        options.headers().add(header.key(), header.value());
      }
    }
    try {
      int count = partitions(topic);
      int partition = settings.target() != null ? NO_PARTITION : DeadLetters.partitionOf(record);
      if (partition >= 0 && partition < count) {
        options.partition(partition);
      }
      producer.send(topic, record.keyBytesCopy(), record.valueBytesCopy(), options, 0, outcome);
    } catch (KafkaException | IllegalArgumentException e) {
      ErrorCode code = e instanceof KafkaException kafka ? kafka.code() : ErrorCode.NONE;
      failure = new KafkaException(code, letter(record) + ": " + e.getMessage(), e);
    }
  }

  private static boolean isOfDeadLetters(String key) {
    return key.startsWith(DeadLetters.PREFIX) || key.startsWith(DeadLetters.SPRING_PREFIX)
        || RetryHeaders.isOwn(key, HeaderNames.DECANT) || RetryHeaders.isOwn(key, HeaderNames.SPRING);
  }

  private int partitions(String topic) throws InterruptedException {
    Integer known = partitions.get(topic);
    if (known == null) {
      known = reader.partitionsFor(topic, TIMEOUT).size();
      if (known == 0) {
        throw new KafkaException(ErrorCode.UNKNOWN_TOPIC_OR_PARTITION,
            "there is no topic " + topic + ", where dead letters would go; create it, or use to(topic)");
      }
      partitions.put(topic, known);
    }
    return known;
  }

  private void take(ConcurrentLinkedQueue<Outcome> from) {
    for (Outcome outcome = from.poll(); outcome != null; outcome = from.poll()) {
      KafkaException failed = outcome.failure;
      if (failed == null) {
        boolean unused = outcome.of.window.acknowledgeAt(outcome.place);
        outcome.of.isDirty = true;
        stored++;
      } else if (failure == null) {
        failure = failed;
      }
    }
  }

  private void commit() throws InterruptedException {
    if (settings.isDryRun()) {
      return;
    }
    Map<TopicPartition, OffsetAndMetadata> offsets = new LinkedHashMap<>();
    progress.forEach((id, of) -> {
      if (of.isDirty) {
        offsets.put(id, of.committable());
        of.isDirty = false;
      }
    });
    if (!offsets.isEmpty()) {
      reader.commit(offsets, TIMEOUT);
    }
  }

  @Override
  public void close() {
    producer.close();
    reader.close();
  }
}
