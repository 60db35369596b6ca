package dev.decant.kafka.work;

import dev.decant.kafka.KafkaException;
import dev.decant.kafka.client.KafkaClient;
import dev.decant.kafka.cluster.TopicName;
import dev.decant.kafka.consumer.ConsumerBuilder;
import dev.decant.kafka.consumer.ConsumerRecord;
import dev.decant.kafka.serialization.Decoder;
import dev.decant.kafka.work.bridge.CopySink;
import dev.decant.kafka.work.bridge.RecordSource;
import dev.decant.kafka.work.bridge.WorkBridge;
import dev.decant.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.Executor;
import java.util.concurrent.ThreadFactory;
import java.util.function.BiConsumer;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * Sets up {@link Work}. A group, a topic and a handler are needed. Not thread-safe.
 *
 * @param <K> type of keys
 * @param <V> type of values
 */
public final class WorkBuilder<K, V> {
  private static final int DEFAULT_CONCURRENCY = 16;
  private static final int MOST_CONCURRENCY = 100_000;
  private static final int MOST_BATCH = 10_000;
  private static final int MOST_UNDER_WAY = 1 << 20;
  /** Records between two pauses of a partition at its bound share the cost of a pause, so the default is not small. */
  private static final long LEAST_UNDER_WAY = 4_096;
  private static final int DEFAULT_METADATA = 4096;

  private final WorkBridge<K, V> bridge;
  private final Decoder<? extends K> keys;
  private final Decoder<? extends V> values;
  private final List<String> topics = new ArrayList<>();
  private final List<WorkListener> listeners = new ArrayList<>();
  /** The settings that were called and have an effect only with another setting. */
  private final Set<String> called = new HashSet<>();
  private String group = "";
  private Order order = Order.BY_KEY;
  private int concurrency = DEFAULT_CONCURRENCY;
  private int batchRecords = 1;
  private WorkSettings.Where where = WorkSettings.Where.THREADS;
  /** The call that has set threads for handlers; empty without one, or if handlers run on the polling thread. */
  private String threadSetting = "";
  private boolean isVirtual;
  private @Nullable Executor executor;
  private int maxUnderWay;
  private int maxUnderWayPerPartition;
  private long maxBytes = 64L << 20;
  private Retry retry = Retry.none();
  private AfterFailure afterFailure = AfterFailure.STOP;
  private String deadLetters = "";
  private TopicSetup.Creation deadLetterCreation = TopicSetup.Creation.NONE;
  private LargeLetters largeLetters = LargeLetters.KEEP_TRYING;
  private HeaderNames headerNames = HeaderNames.DECANT;
  private Duration commitInterval = Duration.ofSeconds(1);
  private int commitRecords = Integer.MAX_VALUE;
  private int metadataCharacters = DEFAULT_METADATA;
  private Duration handlerTimeout = Duration.ZERO;
  private Duration revocationTimeout = Duration.ofSeconds(30);
  private Duration openTimeout = Duration.ofSeconds(30);
  private Clock clock = Clock.system();
  private String transactionalId = "";
  private Duration transactionInterval = Duration.ofMillis(100);
  private int transactionRecords = 1_000;
  private Duration transactionTimeout = Duration.ofMinutes(1);

  WorkBuilder(KafkaClient client, Decoder<? extends K> keys, Decoder<? extends V> values) {
    this(new ClientBridge<>(client, keys, values), keys, values);
  }

  WorkBuilder(WorkBridge<K, V> bridge, Decoder<? extends K> keys, Decoder<? extends V> values) {
    this.bridge = bridge;
    this.keys = keys;
    this.values = values;
  }

  /**
   * The consumer group.
   *
   * @param id Kafka's {@code group.id}
   * @return this
   */
  public WorkBuilder<K, V> group(String id) {
    group = Objects.requireNonNull(id, "id");
    return this;
  }

  /**
   * The topics to read. If one of them does not exist, the status and listeners name it after 10 seconds.
   *
   * @param names of topics
   * @return this
   * @throws IllegalArgumentException if a topic cannot have one of these names
   */
  public WorkBuilder<K, V> subscribe(String... names) {
    topics.addAll(TopicName.requireLegal("names", names));
    return this;
  }

  /**
   * Which records wait for each other; {@link Order#BY_KEY} by default.
   *
   * @param value the order
   * @return this
   */
  public WorkBuilder<K, V> order(Order value) {
    order = Objects.requireNonNull(value, "value");
    return this;
  }

  /**
   * How many records are worked on at once; 16 by default, and at most those of {@link #maxUnderWay}.
   *
   * @param records handlers that run, or stages that are not complete
   * @return this
   * @throws IllegalArgumentException if it is not between 1 and 100,000
   */
  public WorkBuilder<K, V> concurrency(int records) {
    concurrency = within("concurrency", records, 1, MOST_CONCURRENCY);
    called.add("concurrency");
    return this;
  }

  private static int within(String name, long value, int least, int most) {
    if (value < least || value > most) {
      throw new IllegalArgumentException(name + ": " + value + " is not between " + least + " and " + most);
    }
    return (int) value;
  }

  /**
   * Handlers run on platform threads of the work, as many as the concurrency. This is the default.
   *
   * @return this
   */
  public WorkBuilder<K, V> onPlatformThreads() {
    place(WorkSettings.Where.THREADS, "onPlatformThreads()");
    isVirtual = false;
    return this;
  }

  /**
   * Handlers run on virtual threads, as many as the concurrency: for handlers that wait much.
   *
   * @return this
   */
  public WorkBuilder<K, V> onVirtualThreads() {
    place(WorkSettings.Where.THREADS, "onVirtualThreads()");
    isVirtual = true;
    return this;
  }

  /**
   * Handlers run in tasks of an executor, as many at once as the concurrency. A task goes on to further records until
   * there are none. If the executor refuses a task, the work goes on with those that it has, and tries again.
   *
   * @param value the executor, which is not closed with the work
   * @return this
   */
  public WorkBuilder<K, V> on(Executor value) {
    place(WorkSettings.Where.EXECUTOR, "on(executor)");
    executor = Objects.requireNonNull(value, "value");
    return this;
  }

  /**
   * Handlers run on the thread that polls, one record at a time: for short handlers. A handler that takes long delays
   * rebalances.
   *
   * @return this
   */
  public WorkBuilder<K, V> onPollingThread() {
    place(WorkSettings.Where.POLLING_THREAD, "");
    return this;
  }

  private void place(WorkSettings.Where value, String setting) {
    where = value;
    threadSetting = setting;
  }

  /**
   * How many records may be taken and not done: 16 times the concurrency and at least 4,096 by default, and four times
   * the records of a transaction more with {@link #exactlyOnce}. By default the partitions share them evenly. The
   * numbers bound how far one record that takes long lets the others get ahead.
   *
   * @param records for all partitions
   * @param perPartition for one of them
   * @return this
   * @throws IllegalArgumentException if a number is not between 1 and 1,048,576
   */
  public WorkBuilder<K, V> maxUnderWay(int records, int perPartition) {
    maxUnderWay = within("records under way", records, 1, MOST_UNDER_WAY);
    maxUnderWayPerPartition = within("records under way per partition", perPartition, 1, MOST_UNDER_WAY);
    return this;
  }

  /**
   * How many bytes the copies of records under way and their results may take; 64 MiB by default. A larger record goes
   * alone, and the results of running handlers may exceed it.
   *
   * @param bytes for all partitions
   * @return this
   * @throws IllegalArgumentException if it is less than 1
   */
  public WorkBuilder<K, V> maxBytesUnderWay(long bytes) {
    if (bytes < 1) {
      throw new IllegalArgumentException("bytes under way: " + bytes + " is less than 1");
    }
    maxBytes = bytes;
    return this;
  }

  /**
   * How failed records are tried again; {@link Retry#none} by default.
   *
   * @param value the policy
   * @return this
   */
  public WorkBuilder<K, V> retry(Retry value) {
    retry = Objects.requireNonNull(value, "value");
    return this;
  }

  /**
   * Records that have failed for the last time go to a topic. It must exist, unless {@link #createDeadLetters} is
   * called, and must not be compacted. If it cannot be written, the records are not committed, and writing is tried
   * again.
   *
   * @param topic of dead letters
   * @return this
   * @throws IllegalArgumentException if a topic cannot have this name
   */
  public WorkBuilder<K, V> deadLetters(String topic) {
    deadLetters = TopicName.requireLegal("deadLetters", topic);
    afterFailure = AfterFailure.DEAD_LETTER;
    return this;
  }

  /**
   * Creates the topic of {@link #deadLetters} when the work starts, if it does not exist.
   *
   * @param partitions how many; 0 for as many as the topics of the work
   * @param replicas of each partition
   * @param retention how long dead letters are kept
   * @return this
   * @throws IllegalArgumentException if partitions are negative, replicas are not between 1 and 100, or the retention
   *     is not positive
   */
  public WorkBuilder<K, V> createDeadLetters(int partitions, int replicas, Duration retention) {
    deadLetterCreation = new TopicSetup.Creation(within("partitions", partitions, 0, Integer.MAX_VALUE),
        within("replicas", replicas, 1, 100), positive("retention", retention));
    called.add("createDeadLetters");
    return this;
  }

  /**
   * Sets what follows if the dead-letter topic, or a retry topic, does not take a record because it is too large;
   * {@link LargeLetters#KEEP_TRYING} by default.
   *
   * @param value what follows
   * @return this
   */
  public WorkBuilder<K, V> largeLetters(LargeLetters value) {
    largeLetters = Objects.requireNonNull(value, "value");
    called.add("largeLetters");
    return this;
  }

  /**
   * The headers of dead letters and of records in retry topics; {@link HeaderNames#DECANT} by default.
   *
   * @param names which names and form
   * @return this
   */
  public WorkBuilder<K, V> headerNames(HeaderNames names) {
    headerNames = Objects.requireNonNull(names, "names");
    called.add("headerNames");
    return this;
  }

  /**
   * Records that have failed for the last time are passed over. Excludes {@link #deadLetters}.
   *
   * @return this
   */
  public WorkBuilder<K, V> skipFailed() {
    afterFailure = AfterFailure.SKIP;
    called.add("skipFailed");
    return this;
  }

  /**
   * When offsets are committed; each second by default. With {@link #exactlyOnce} transactions commit records, and this
   * counts only for offsets without records.
   *
   * @param interval after the first record that is done and not committed
   * @param records or after this number of records
   * @return this
   * @throws IllegalArgumentException if one is not positive
   */
  public WorkBuilder<K, V> commitEvery(Duration interval, int records) {
    commitInterval = positive("commit interval", interval);
    commitRecords = within("records to a commit", records, 1, Integer.MAX_VALUE);
    return this;
  }

  private static Duration positive(String name, Duration value) {
    if (Objects.requireNonNull(value, name).isNegative() || value.isZero()) {
      throw new IllegalArgumentException(name + ": " + value + " is not positive");
    }
    return value.compareTo(Duration.ofDays(365)) > 0 ? Duration.ofDays(365) : value;
  }

  /**
   * How many characters the broker takes beside a committed offset ({@code offset.metadata.max.bytes}); 4096 by
   * default, as there. Records whose offsets do not fit are handled again after a restart.
   *
   * @param characters 0 to write none
   * @return this
   * @throws IllegalArgumentException if it is not between 0 and 1,048,576
   */
  public WorkBuilder<K, V> commitMetadata(int characters) {
    metadataCharacters = within("characters of metadata", characters, 0, 1 << 20);
    return this;
  }

  /**
   * Commits offsets in transactions, together with what handlers produce ({@link WorkContext#produce}) and with dead
   * letters: each record's results become visible once, exactly when the record counts as done. Off by default.
   *
   * <p>The consumer reads committed records only, unless {@link #consumer} says otherwise.
   *
   * @param id Kafka's {@code transactional.id}: one for each member of the group, and the same after its restart. Two
   *     works that run at once with the same one fence each other
   * @return this
   * @throws IllegalArgumentException if it is blank, or the work runs on another client than Decant's
   */
  public WorkBuilder<K, V> exactlyOnce(String id) {
    if (Objects.requireNonNull(id, "id").isBlank()) {
      throw new IllegalArgumentException("exactly once: the transactional id is empty");
    }
    own("exactly once needs Decant's client, whose transactions are run beside the polls; drop exactlyOnce(...), or use"
        + " Work.on(KafkaClient, ...)").transactional();
    transactionalId = id;
    return this;
  }

  /**
   * When a transaction is committed; every 100 ms or 1,000 records by default. Results are visible that much later.
   * Records wait in memory for it, so a bound of records or bytes under way may bring it forward. With
   * {@link #exactlyOnce} only.
   *
   * @param interval after the first record that is done and not committed
   * @param records or after this number of records
   * @return this
   * @throws IllegalArgumentException if one is not positive
   */
  public WorkBuilder<K, V> transactionEvery(Duration interval, int records) {
    transactionInterval = positive("transaction interval", interval);
    transactionRecords = within("records to a transaction", records, 1, MOST_UNDER_WAY);
    called.add("transactionEvery");
    return this;
  }

  /**
   * Kafka's {@code transaction.timeout.ms}; 1 minute by default. The brokers abort a transaction that is open for
   * longer and fence the work, which ends it. So the work itself aborts and repeats a transaction whose results were
   * not stored within two thirds of this. What a killed work has left open holds back readers of committed records
   * for that long, unless the work is started again before. With {@link #exactlyOnce} only.
   *
   * @param value at most the brokers' {@code transaction.max.timeout.ms}, which is 15 minutes by default
   * @return this
   * @throws IllegalArgumentException if it is shorter than a second
   */
  public WorkBuilder<K, V> transactionTimeout(Duration value) {
    if (Objects.requireNonNull(value, "value").compareTo(Duration.ofSeconds(1)) < 0) {
      throw new IllegalArgumentException("transaction time-out: " + value + " is shorter than a second");
    }
    transactionTimeout = value;
    called.add("transactionTimeout");
    return this;
  }

  /**
   * When a handler that works on one record is interrupted; never by default. What it throws then is a failed attempt.
   * A handler that goes on all the same keeps its record. For handlers on threads.
   *
   * @param value after the beginning of the attempt
   * @return this
   * @throws IllegalArgumentException if it is not positive
   */
  public WorkBuilder<K, V> handlerTimeout(Duration value) {
    handlerTimeout = positive("handler time-out", value);
    return this;
  }

  /**
   * How long a partition that goes to another member waits for handlers that run; 30 seconds by default. Those that
   * take longer are interrupted, and their records are done again.
   *
   * @param value at most
   * @return this
   * @throws IllegalArgumentException if it is not positive
   */
  public WorkBuilder<K, V> revocationTimeout(Duration value) {
    revocationTimeout = positive("revocation time-out", value);
    return this;
  }

  /**
   * How long {@code open} waits for the brokers; 30 seconds by default. It asks for the dead-letter topic and retry
   * topics, and creates them if it should. After that it waits as long for the transactions of {@link #exactlyOnce}.
   * Without these it asks for nothing, and the work waits for brokers that are away.
   *
   * @param value at most, for each of the two
   * @return this
   * @throws IllegalArgumentException if it is not positive
   */
  public WorkBuilder<K, V> openTimeout(Duration value) {
    openTimeout = positive("open time-out", value);
    return this;
  }

  /**
   * Adds a listener.
   *
   * @param value a listener
   * @return this
   */
  public WorkBuilder<K, V> listener(WorkListener value) {
    listeners.add(Objects.requireNonNull(value, "value"));
    return this;
  }

  /**
   * Further settings of the consumer, such as its protocol, instance or isolation. Group, topics, automatic commits,
   * exclusive calls and listeners of rebalances are the work's own.
   *
   * @param settings changes the builder
   * @return this
   * @throws IllegalArgumentException if the work runs on another client than Decant's
   */
  public WorkBuilder<K, V> consumer(UnaryOperator<ConsumerBuilder<K, V>> settings) {
    Objects.requireNonNull(settings, "settings");
    own("the consumer is not Decant's: put its settings into the map that the work is made of").consumer(settings);
    return this;
  }

  /** Returns the bridge to Decant's client, or refuses a setting that other clients do not have. */
  private ClientBridge<K, V> own(String refusal) {
    if (bridge instanceof ClientBridge<K, V> own) {
      return own;
    }
    throw new IllegalArgumentException(refusal);
  }

  /** Sets the clock of retries, commits and deadlines. */
  WorkBuilder<K, V> clock(Clock value) {
    clock = value;
    return this;
  }

  /**
   * Starts.
   *
   * @param handler works on each record
   * @return the work, to be closed
   * @throws IllegalArgumentException if the group or the topics are missing, settings contradict each other or have no
   *     effect, retry topics that keep order have other numbers of partitions, or the dead-letter topic or a retry
   *     topic would delete records that the work still needs
   * @throws KafkaException if the dead-letter topic or a retry topic does not exist or cannot be created, the cluster
   *     does not respond, or the transactions cannot be opened
   * @throws InterruptedException if the thread was interrupted
   */
  public Work open(WorkHandler<K, V> handler) throws InterruptedException {
    Objects.requireNonNull(handler, "handler");
    return open((ConsumerRecord<K, V> record, WorkContext context) -> handler.handle(record));
  }

  /**
   * Starts, with a handler that gets the attempt, too.
   *
   * @param handler works on each record
   * @return the work, to be closed
   * @throws IllegalArgumentException as {@link #open(WorkHandler)}
   * @throws KafkaException as {@link #open(WorkHandler)}
   * @throws InterruptedException if the thread was interrupted
   */
  public Work open(WorkContextHandler<K, V> handler) throws InterruptedException {
    batchRecords = 1;
    return open(Objects.requireNonNull(handler, "handler"), null, null, where);
  }

  /**
   * Starts, with a handler of several records at once. If it throws, each of them has failed; records that have failed
   * are then tried again one by one, so that one bad record does not keep the others from being done.
   *
   * @param records at most
   * @param handler works on them
   * @return the work, to be closed
   * @throws IllegalArgumentException as {@link #open(WorkHandler)}; also if a batch is not between 1 and 10,000
   * @throws KafkaException as {@link #open(WorkHandler)}
   * @throws InterruptedException if the thread was interrupted
   */
  public Work openBatches(int records, BatchWorkHandler<K, V> handler) throws InterruptedException {
    Objects.requireNonNull(handler, "handler");
    return openBatches(records, (batch, contexts) -> handler.handle(batch));
  }

  /**
   * Starts, with a handler of several records at once that gets the context of each record, too. With
   * {@link #exactlyOnce} it produces the results of a record by the record's context.
   *
   * @param records at most
   * @param handler works on them
   * @return the work, to be closed
   * @throws IllegalArgumentException as {@link #openBatches(int, BatchWorkHandler)}
   * @throws KafkaException as {@link #open(WorkHandler)}
   * @throws InterruptedException if the thread was interrupted
   */
  public Work openBatches(int records, BatchContextHandler<K, V> handler) throws InterruptedException {
    Objects.requireNonNull(handler, "handler");
    batchRecords = within("records of a batch", records, 1, MOST_BATCH);
    return open(null, handler, null, where);
  }

  /**
   * Starts, with a handler whose work ends later. It is called by the thread that polls.
   *
   * @param handler begins each record
   * @return the work, to be closed
   * @throws IllegalArgumentException as {@link #open(WorkHandler)}; also for a handler time-out, or if threads or an
   *     executor are set
   * @throws KafkaException as {@link #open(WorkHandler)}
   * @throws InterruptedException if the thread was interrupted
   */
  public Work openAsync(AsyncWorkHandler<K, V> handler) throws InterruptedException {
    Objects.requireNonNull(handler, "handler");
    if (!handlerTimeout.isZero()) {
      throw new IllegalArgumentException("a handler time-out has no thread to interrupt where the handler is"
          + " asynchronous: use CompletableFuture.orTimeout");
    }
    if (!threadSetting.isEmpty()) {
      throw new IllegalArgumentException("an asynchronous handler is called by the polling thread; drop "
          + threadSetting);
    }
    batchRecords = 1;
    return open(null, null, handler, WorkSettings.Where.POLLING_THREAD);
  }

  private Work open(@Nullable WorkContextHandler<K, V> handler, @Nullable BatchContextHandler<K, V> batchHandler,
      @Nullable AsyncWorkHandler<K, V> asyncHandler, WorkSettings.Where place) throws InterruptedException {
    WorkSettings settings = settings(asyncHandler != null, place);
    WorkControl control = new WorkControl(clock);
    WorkListeners heard = new WorkListeners(listeners);
    WorkParts.Stages stages = prepareTopics(settings,
        (what, error) -> control.request(() -> heard.unchecked(what, error)));
    WorkParts.TransactionParts<K, V> transactions = transactions();
    CopySink copies = null;
    try {
      copies = copies(settings);
      WorkLoop<K, V> loop = new WorkLoop<>(
          new WorkParts<>(keys, values, handler, batchHandler, asyncHandler, copies, stages,
              heard, clock, transactions, bridge::topics),
          settings,
          control);
      RecordSource<K, V> consumer = consumer(settings, loop);
      try {
        loop.connect(consumer);
        Thread.ofPlatform().name("decant-work-" + group).daemon(true).start(loop);
        return new Work(control);
      } catch (Throwable e) {
        consumer.close();
        throw e;
      }
    } catch (Throwable e) {
      if (copies != null) {
        copies.close(Duration.ZERO);
      }
      if (transactions != null) {
        transactions.runner().close(Duration.ofSeconds(10));
      }
      throw e;
    }
  }

  private WorkParts.@Nullable TransactionParts<K, V> transactions() throws InterruptedException {
    if (!isExactlyOnce()) {
      return null;
    }
    return new WorkParts.TransactionParts<>(
        own("exactly once needs Decant's client").transactions(
            new TransactionRunner.Settings(transactionalId, transactionTimeout, openTimeout),
            new ResultMemory(maxBytes)),
        new TransactionalCommits.Bounds(transactionInterval.toNanos(), transactionRecords));
  }

  private @Nullable CopySink copies(WorkSettings settings) throws InterruptedException {
    if (settings.writtenTopics().isEmpty()) {
      return null;
    }
    return isExactlyOnce() ? new ResultSink() : bridge.sink(settings.writtenTopics());
  }

  private boolean isExactlyOnce() {
    return !transactionalId.isEmpty();
  }

  private WorkParts.@Nullable Stages prepareTopics(WorkSettings settings,
      BiConsumer<String, KafkaException> unchecked) throws InterruptedException {
    if (settings.writtenTopics().isEmpty()) {
      return null;
    }
    try (TopicSetup setup = new TopicSetup(bridge.topics(), openTimeout, unchecked)) {
      RetryTopics stages = retry.topics();
      List<Integer> partitions = stages == null
          ? List.of()
          : setup.prepare(stages, settings.isOrderedInRetryTopics(), settings.topics());
      if (afterFailure == AfterFailure.DEAD_LETTER) {
        setup.prepareDeadLetters(deadLetters, deadLetterCreation, settings.topics());
      }
      return stages == null ? null : new WorkParts.Stages(partitions, new ScanReader(bridge));
    }
  }

  private RecordSource<K, V> consumer(WorkSettings settings, WorkLoop<K, V> loop) throws InterruptedException {
    List<String> all = new ArrayList<>(settings.topics());
    RetryTopics stages = retry.topics();
    if (stages != null) {
      all.addAll(stages.names());
    }
    return bridge.open(new WorkBridge.Subscription(group, all, settings.isOrderedInRetryTopics()), loop);
  }

  /** Refuses settings without an effect, and those that exclude each other: each was called for a reason. */
  private void requireEffect(boolean isInline, boolean isAsync) {
    boolean hasLetters = !deadLetters.isEmpty();
    if (hasLetters && called.contains("skipFailed")) {
      throw new IllegalArgumentException("deadLetters(...) and skipFailed() exclude each other; drop one of them");
    }
    requireWith("createDeadLetters", hasLetters, "deadLetters(...)");
    requireWith("largeLetters", hasLetters || retry.topics() != null, "deadLetters(...) or retry topics");
    requireWith("headerNames", hasLetters || retry.topics() != null, "deadLetters(...) or retry topics");
    requireWith("transactionEvery", isExactlyOnce(), "exactlyOnce(...)");
    requireWith("transactionTimeout", isExactlyOnce(), "exactlyOnce(...)");
    if (isInline && !isAsync && concurrency > 1 && called.contains("concurrency")) {
      throw new IllegalArgumentException("concurrency(" + concurrency + ") has no effect with onPollingThread(), where"
          + " one record is handled at a time; drop one of them");
    }
    if (maxUnderWay > 0 && concurrency > maxUnderWay && called.contains("concurrency")) {
      throw new IllegalArgumentException("concurrency(" + concurrency + ") cannot be reached with maxUnderWay("
          + maxUnderWay + ", ...); raise that, or lower the concurrency");
    }
  }

  private void requireWith(String setting, boolean hasOther, String other) {
    if (!hasOther && called.contains(setting)) {
      throw new IllegalArgumentException(setting + "(...) has no effect without " + other + "; add that, or drop it");
    }
  }

  private void requireDifferentTopics() {
    if (topics.contains(deadLetters)) {
      throw new IllegalArgumentException("the topic " + deadLetters + " cannot be read and take the dead letters");
    }
    RetryTopics stages = retry.topics();
    if (stages == null) {
      return;
    }
    for (String topic : stages.names()) {
      if (topics.contains(topic) || topic.equals(deadLetters)) {
        throw new IllegalArgumentException("the topic " + topic + " cannot be a retry topic: the work reads it or puts"
            + " dead letters there");
      }
    }
    if (order == Order.BY_PARTITION && !stages.isEndingOrder()) {
      throw new IllegalArgumentException("retry topics keep the order of keys, and not that of partitions; call"
          + " RetryTopics.endingOrder(), or use order(Order.BY_KEY)");
    }
  }

  /** Slots for records that wait for a transaction or are in one. They must not keep others from being worked on. */
  private long awaitingCommit() {
    return isExactlyOnce() ? 4L * transactionRecords : 0;
  }

  private WorkSettings settings(boolean isAsync, WorkSettings.Where place) {
    if (group.isEmpty()) {
      throw new IllegalArgumentException("work needs a consumer group: call group(...)");
    }
    if (topics.isEmpty()) {
      throw new IllegalArgumentException("work needs topics: call subscribe(...)");
    }
    requireDifferentTopics();
    boolean isInline = place == WorkSettings.Where.POLLING_THREAD;
    requireEffect(isInline, isAsync);
    if (isInline && !isAsync && !handlerTimeout.isZero()) {
      throw new IllegalArgumentException("a handler time-out needs another thread than the one that polls to end a"
          + " handler: drop handlerTimeout(...), or use onPlatformThreads()");
    }
    int most = maxUnderWay > 0 ? Math.min(concurrency, maxUnderWay) : concurrency;
    int atOnce = isInline && !isAsync ? 1 : most;
    int underWay = maxUnderWay > 0
        ? maxUnderWay
        : (int) Math.min(MOST_UNDER_WAY, Math.max(LEAST_UNDER_WAY, 16L * atOnce * batchRecords) + awaitingCommit());
    ThreadFactory threads = null;
    if (place == WorkSettings.Where.THREADS) {
      String name = "decant-work-" + group + "-";
      threads = isVirtual
          ? Thread.ofVirtual().name(name, 0).factory()
          : Thread.ofPlatform().name(name, 0).daemon(true).factory();
    }
    return new WorkSettings(group, List.copyOf(topics), order, atOnce, batchRecords, place,
        threads,
        place == WorkSettings.Where.EXECUTOR ? executor : null, Math.max(underWay, atOnce), maxUnderWayPerPartition,
        maxBytes,
        retry, afterFailure, deadLetters, headerNames, commitInterval.toNanos(), commitRecords, metadataCharacters,
        handlerTimeout.toNanos(), revocationTimeout.toNanos(), largeLetters);
  }
}
