package dev.decant.kafka.work;

import dev.decant.kafka.KafkaException;
import dev.decant.kafka.OffsetAndMetadata;
import dev.decant.kafka.TopicPartition;
import dev.decant.kafka.consumer.ConsumerRecord;
import dev.decant.kafka.consumer.RebalanceListener;
import dev.decant.kafka.internal.OffsetWindow;
import dev.decant.kafka.protocol.ErrorCode;
import dev.decant.kafka.work.bridge.CopySink;
import dev.decant.kafka.work.bridge.RecordSource;
import dev.decant.kafka.work.bridge.SourceHandler;
import dev.decant.kafka.work.bridge.SourceRecords;
import dev.decant.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.IntSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The thread that polls. It takes records while there is room, and finished ones from the workers. It also retries,
 * sends dead letters and commits. It waits in the poll, or for room, and is woken only if a record needs it ({@link
 * LoopWaits}).
 */
final class WorkLoop<K, V> implements Runnable, RebalanceListener, Crew.Listener, SourceHandler<K, V> {
  /** The longest wait for room between two polls, which keep the membership of the group alive. */
  private static final long CHECK_NANOS = TimeUnit.MILLISECONDS.toNanos(100);
  /** How long records that a worker has taken may wait behind one that takes longer than others did. */
  private static final long RESCUE_NANOS = TimeUnit.MILLISECONDS.toNanos(10);
  /** The time that an interrupted handler has to end. */
  private static final long GRACE_NANOS = TimeUnit.SECONDS.toNanos(1);
  private static final Duration IDLE = Duration.ofMinutes(1);
  private static final Duration COMMITTED_TIMEOUT = Duration.ofSeconds(30);
  /** How often the committed offsets are requested where the work must know them. */
  private static final int MOST_COMMITTED = 4;
  private static final Duration LAST_COMMIT = Duration.ofSeconds(10);
  private static final Duration LAST_TRANSACTION = Duration.ofSeconds(2);

  private final WorkSettings settings;
  private final Clock clock;
  private final Crew<K, V> crew;
  private final Schedule<K, V> schedule;
  private final Failures<K, V> failures;
  private final WorkCommits commits;
  private final WorkListeners listeners;
  private final @Nullable CopySink copies;
  private final Holds holds;
  /** Null without retry topics. */
  private final @Nullable RetryStages<K, V> stages;
  private final @Nullable AsyncStarts<K, V> starts;
  private final MissingTopics missingTopics;
  private final LoopWaits waits;
  private final WorkControl control;
  private final Map<TopicPartition, PartitionWork> partitions = new HashMap<>();
  /**
   * Partitions that are not assigned any more and have records under way. A partition that is assigned again waits for
   * these.
   */
  private final List<PartitionWork> leaving = new ArrayList<>();
  private @Nullable RecordSource<K, V> consumer;
  private @Nullable PartitionWork recent;
  /** Number of finished records that the loop has not taken. Made once, because each wait uses it. */
  private final IntSupplier finished;
  private boolean takes;
  private boolean isMemoryFull;
  private boolean hadRoom = true;
  /** True if the partitions are held because the work is paused. */
  private boolean isHeld;
  private long boundPauses;
  /** When an executor that has refused a task gets tasks again; {@link DueSlots#NEVER} if it has not. */
  private long executorDue = DueSlots.NEVER;
  /** True after the executor was late with tasks, until it has begun all. */
  private boolean isExecutorLate;
  private @Nullable Throwable failure;
  private long done;
  /** The number of done records in the last status. It never decreases, because meters count it. */
  private long reportedDone;

  WorkLoop(WorkParts<K, V> parts, WorkSettings settings, WorkControl control) {
    this.settings = settings;
    this.clock = parts.clock();
    this.listeners = parts.listeners();
    this.copies = parts.copies();
    this.control = control;
    this.waits = control.waits();
    this.crew = new Crew<>(parts, settings, this);
    this.finished = crew::depth;
    WorkParts.TransactionParts<K, V> transactions = parts.transactions();
    this.missingTopics = new MissingTopics(settings.topics(), parts.topics(),
        new LoopRuns(settings.group(), "topics", control), listeners, clock.nanoTime());
    this.schedule = new Schedule<>(settings, crew.ready(), parts.keys(), parts.values(),
        transactions == null ? null : transactions.runner().memory());
    this.holds = new Holds(this::setPaused);
    this.stages = stages(parts, settings);
    this.failures = new Failures<>(settings, schedule, deadLetters(parts, settings), stages, listeners,
        slot -> crew.finishedElsewhere(slot, slot, 1, true));
    if (stages != null) {
      stages.connect(failures);
    }
    this.commits = transactions == null
        ? new Commits(settings, listeners, clock, waits::endPoll)
        : transactional(transactions);
    AsyncWorkHandler<K, V> async = parts.asyncHandler();
    this.starts = async == null ? null : new AsyncStarts<>(async, crew, settings.concurrency(), transactions != null);
  }

  private WorkCommits transactional(WorkParts.TransactionParts<K, V> parts) {
    HeldRecords<K, V> held = new HeldRecords<>(schedule, settings.metadataCharacters());
    schedule.holdUntilCommit(held);
    parts.runner().start(settings.group(), waits::need);
    return new TransactionalCommits<>(settings, parts.bounds(), held, parts.runner(), listeners,
        new TransactionalCommits.Hooks<>(clock, this::refused, () -> isMemoryFull));
  }

  /** Fails a record that counts as done, since a broker has refused its results or its copy. */
  private @Nullable Throwable refused(Slot<K, V> slot, Throwable error, long nowNanos) {
    done -= slot.isCopied ? 0 : 1;
    return failures.refused(slot, error, nowNanos);
  }

  private static @Nullable DeadLetters deadLetters(WorkParts<?, ?> parts, WorkSettings settings) {
    CopySink sink = parts.copies();
    return sink == null || settings.afterFailure() != AfterFailure.DEAD_LETTER
        ? null
        : new DeadLetters(sink, settings.deadLetters(), settings.group(), settings.headerNames());
  }

  private @Nullable RetryStages<K, V> stages(WorkParts<K, V> parts, WorkSettings settings) {
    RetryTopics topics = settings.retry().topics();
    WorkParts.Stages of = parts.stages();
    CopySink sink = parts.copies();
    if (topics == null || of == null || sink == null) {
      return null;
    }
    RetryStages.Surroundings in = new RetryStages.Surroundings(holds, listeners, clock, partitions,
        id -> consumer().currentLag(id.topic(), id.partition()));
    int[] counts = of.partitions().stream().mapToInt(Integer::intValue).toArray();
    StageOrder order = settings.isOrderedInRetryTopics()
        ? new StageOrder(settings, topics, in, of.reader(), new LoopRuns(settings.group(), "retry-topics", control))
        : null;
    return new RetryStages<>(settings, topics, schedule, new StageCopies(sink, topics, counts, settings, clock), order,
        in);
  }

  private void setPaused(TopicPartition id, boolean isPaused) {
    if (isPaused) {
      consumer().pause(id.topic(), id.partition());
    } else {
      consumer().resume(id.topic(), id.partition());
    }
  }

  /** Connects the source that was opened with this loop as its listener. Called before the thread starts. */
  void connect(RecordSource<K, V> with) {
    consumer = with;
    waits.connect(with::wakeup);
  }

  private RecordSource<K, V> consumer() {
    RecordSource<K, V> open = consumer;
    if (open == null) {
      throw new IllegalStateException("not connected");
    }
    return open;
  }

  @Override
  public void run() {
    try {
      waits.begin(Thread.currentThread());
      crew.start();
      while (!control.isClosing() && failure == null) {
        step();
      }
    } catch (Throwable e) { // any failure: everything is released, and threads that wait for the end get it
      fail(e);
    }
    control.closing();
    try {
      drain();
    } catch (Throwable e) {
      fail(e);
    }
    try {
      close();
    } catch (Throwable e) {
      fail(e);
    }
    control.ended(failure, this::status);
  }

  private void fail(Throwable e) {
    Throwable before = failure;
    if (before == null) {
      failure = e;
    } else if (!before.equals(e)) {
      before.addSuppressed(e);
    }
  }

  private void step() throws InterruptedException {
    waits.beginStep();
    long now = advance();
    if (failure != null) {
      return; // no more records are taken: a later record of its key must not be done before the failed one
    }
    if (control.isPaused()) {
      commits.hurry(now);
    }
    if (!commit(now)) {
      return;
    }
    boolean hasRoom = schedule.hasSlot() && !isMemoryFull;
    boundPauses += hadRoom && !hasRoom ? 1 : 0;
    hadRoom = hasRoom;
    hold(control.isPaused());
    takes = hasRoom;
    if (takes) {
      poll(timeout(now));
    } else {
      poll(Duration.ZERO);
      awaitRoom(now);
    }
    begin();
  }

  /** Pauses all partitions while the work is paused, so that a poll waits as long as it would without records. */
  private void hold(boolean isPaused) {
    if (isPaused == isHeld) {
      return;
    }
    isHeld = isPaused;
    for (PartitionWork partition : partitions.values()) {
      if (isPaused) {
        holds.add(partition, Holds.USER);
      } else {
        holds.remove(partition, Holds.USER);
      }
    }
  }

  /** Commits what is due. Returns false if no further commit is possible. */
  private boolean commit(long now) {
    commits.commitIfDue(now, partitions.values(), consumer());
    Throwable error = commits.failure();
    if (error == null) {
      return true;
    }
    fail(error);
    return false;
  }

  /** Takes finished records from the workers, and does what is due. Returns the time. */
  private long advance() {
    control.answer(this::status);
    long now = clock.nanoTime();
    reap(now);
    if (commits.settle(now)) {
      makeRoom();
    }
    if (schedule.underWay() == schedule.waiting()) { // a record that waits for a due time is as safe in its retry topic
      control.empty();
    }
    failures.retryDue(now);
    failures.checkLate(now);
    missingTopics.step(partitions.keySet(), now);
    if (stages != null) {
      stages.step(now);
    }
    begin();
    crew.rescue();
    if (executorDue != DueSlots.NEVER && executorDue - now <= 0) {
      executorDue = DueSlots.NEVER;
      listeners.solved(WorkListeners.Need.EXECUTOR); // a further refusal is reported the next time
      crew.wakeAgain();
    }
    int notBegun = crew.askAgain(now);
    if (notBegun > 0) {
      isExecutorLate = true;
      listeners.failed(WorkListeners.Need.EXECUTOR, notBegun + " tasks were not begun by the executor for 10 s or more,"
          + " and are given to it again", new RejectedExecutionException("the executor has not run its tasks"));
    } else if (isExecutorLate && crew.patienceEndsNanos() == DueSlots.NEVER) {
      isExecutorLate = false;
      listeners.solved(WorkListeners.Need.EXECUTOR);
    }
    if (crew.hasDeadline()) {
      int overdue = crew.interrupt(now - settings.handlerTimeoutNanos());
      if (overdue > 0) {
        listeners.overdue(overdue);
      }
    }
    return now;
  }

  /** Has workers begin ready records. */
  private void begin() {
    if (schedule.publish() > 0 && starts == null) {
      crew.wakeOne();
    }
    if (starts != null) {
      starts.begin();
    } else if (settings.where() == WorkSettings.Where.POLLING_THREAD) {
      crew.runInline();
    }
  }

  // Waiting.

  private Duration timeout(long now) {
    long due = nextDue(now);
    if (due == DueSlots.NEVER) {
      return IDLE;
    }
    return due - now <= 0 ? Duration.ZERO : Duration.ofNanos(due - now);
  }

  private long nextDue(long now) {
    long due = Math.min(executorDue, Math.min(commits.dueNanos(), schedule.due().firstNanos()));
    due = Math.min(due, Math.min(crew.patienceEndsNanos(), failures.lateDueNanos()));
    due = Math.min(due, missingTopics.dueNanos());
    if (stages != null) {
      due = Math.min(due, stages.dueNanos());
    }
    if (crew.mayStrand()) {
      due = Math.min(due, now + RESCUE_NANOS);
    }
    if (crew.hasDeadline() && crew.working() > 0) {
      due = Math.min(due, now + Math.min(settings.handlerTimeoutNanos() / 2 + 1, CHECK_NANOS));
    }
    return due;
  }

  private void poll(Duration timeout) throws InterruptedException {
    boolean isShort = timeout.isZero();
    if (!isShort && !waits.beginPoll(wakeAt(), holds.forRoom() > 0, finished)) {
      isShort = true;
    }
    try {
      consumer().poll(isShort ? Duration.ZERO : timeout, this);
    } finally {
      waits.end();
    }
  }

  /**
   * The number of finished records that ends a poll: the lowest number that a commit, a partition or a record waits
   * for.
   */
  private int wakeAt() {
    if (schedule.underWay() == 0) {
      return LoopWaits.NONE;
    }
    if ((starts != null && isWaitedFor()) || (stages != null && stages.isHeld())) {
      return 1;
    }
    int least = commits.recordsUntilDue();
    if (holds.forRoom() > 0) {
      int mostLeft = schedule.mostPerPartition() / 2;
      for (PartitionWork partition : partitions.values()) {
        if (Holds.isForRoom(partition)) {
          least = Math.min(least, Math.max(1, partition.underWay - mostLeft));
        }
      }
    }
    return least;
  }

  /** Returns true if ready records may begin as soon as others end. */
  private boolean isWaitedFor() {
    return crew.ready().size() > 0;
  }

  private void awaitRoom(long now) {
    int wakeAt = starts != null && isWaitedFor() ? 1 : Math.max(1, schedule.underWay() / 4);
    waits.park(Math.min(nextDue(now), now + CHECK_NANOS) - now, wakeAt, finished);
  }

  @Override
  public void finished(int depth, boolean isUrgent) {
    waits.finished(depth, isUrgent);
  }

  @Override
  public void workerIdle() {
    waits.workerIdle(finished);
  }

  @Override
  public void refused(Throwable cause) {
    control.request(() -> {
      executorDue = clock.nanoTime() + CHECK_NANOS;
      listeners.failed(WorkListeners.Need.EXECUTOR, "the executor has refused to work, and is asked again", cause);
    });
  }

  // Taking records.

  @Override
  public void onRecords(SourceRecords<K, V> records) {
    PartitionWork partition = find(records.topic(), records.partition());
    if (!takes || failure != null || partition == null || !partition.isOpen()) {
      return;
    }
    int count = 0;
    schedule.now(clock.nanoTime());
    while (schedule.hasSlot() && schedule.hasRoom(partition)) {
      if (!records.next()) {
        break;
      }
      if (!take(partition, records.record())) {
        records.putBack();
        isMemoryFull = (partition.holds & Holds.DUE) == 0;
        break;
      }
      count++;
    }
    partition.position = records.position();
    partition.epoch = records.positionEpoch();
    if (partition.window.size() == 0) { // all of them were done before
      partition.isDirty = true;
      commits.schedule(clock.nanoTime());
    }
    if (!schedule.hasRoom(partition)) {
      holds.add(partition, Holds.BOUND);
    }
    if (count > 0) {
      begin();
    }
  }

  private boolean take(PartitionWork partition, ConsumerRecord<K, V> record) {
    RetryStages<K, V> by = stages;
    if (partition.stage > 0 && by != null) {
      return by.take(partition, record);
    }
    return schedule.take(partition, record);
  }

  @Override
  public void onPositionAdvanced(SourceRecords<K, V> records) {
    PartitionWork partition = find(records.topic(), records.partition());
    if (partition != null) {
      partition.position = records.position();
      partition.epoch = records.positionEpoch();
      partition.isDirty = true;
      if (commits.dueNanos() == DueSlots.NEVER) {
        commits.schedule(clock.nanoTime());
        waits.endPoll(); // the poll would wait beyond that time
      }
    }
  }

  private @Nullable PartitionWork find(String topic, int partition) {
    PartitionWork last = recent;
    if (last != null && last.id.partition() == partition && last.id.topic().equals(topic)) {
      return last;
    }
    last = partitions.get(new TopicPartition(topic, partition));
    recent = last;
    return last;
  }

  // Taking what was done.

  private void reap(long now) {
    boolean isAny = false;
    for (int i = 0; i < crew.stacks(); i++) {
      for (Slot<K, V> slot = crew.takeDone(i); slot != null;) {
        Slot<K, V> next = slot.nextDone;
        slot.nextDone = null;
        ended(slot, now);
        slot = next;
        isAny = true;
      }
    }
    if (isAny) {
      makeRoom();
    }
  }

  private void makeRoom() {
    isMemoryFull = false;
    resumePartitions();
  }

  private void ended(Slot<K, V> slot, long now) {
    if (slot.isBegun && starts != null) {
      starts.looked(slot);
    }
    switch (slot.outcome) {
      case NONE -> schedule.makeReady(slot);
      case DONE -> {
        done++;
        commits.done(now);
        schedule.done(slot);
      }
      case ABANDONED -> schedule.abandonedByWorker(slot);
      case FAILED -> {
        slot.dropResults();
        Throwable error = failures.failed(slot, now);
        if (error != null) {
          fail(error);
        } else {
          commits.schedule(now);
        }
      }
      case COPIED, NOT_COPIED -> {
        Throwable error = failures.copyEnded(slot, now);
        if (error != null) {
          fail(error);
        } else {
          commits.schedule(now);
        }
      }
    }
  }

  private void resumePartitions() {
    for (PartitionWork partition : partitions.values()) {
      if (Holds.isForRoom(partition) && partition.underWay <= schedule.mostPerPartition() / 2
          && predecessor(partition.id) == null) {
        holds.remove(partition, Holds.BOUND | Holds.LEAVING);
      }
    }
    leaving.removeIf(partition -> partition.underWay == 0);
  }

  private @Nullable PartitionWork predecessor(TopicPartition id) {
    for (PartitionWork partition : leaving) {
      if (partition.underWay > 0 && partition.id.equals(id)) {
        return partition;
      }
    }
    return null;
  }

  // Rebalances, in the poll.

  @Override
  public void onAssigned(List<TopicPartition> assigned) throws InterruptedException {
    Map<TopicPartition, OffsetAndMetadata> known = committed(assigned);
    Map<TopicPartition, OffsetAndMetadata> committed = known == null ? Map.of() : known;
    for (TopicPartition id : assigned) {
      OffsetAndMetadata offset = committed.get(id);
      int stage = stages == null ? 0 : stages.stageOf(id.topic());
      add(offset == null
          ? new PartitionWork(id, stage, OffsetWindow.NONE, DoneOffsets.NONE)
          : new PartitionWork(id, stage, offset.offset(), DoneOffsets.decode(offset.offset(), offset.metadata())));
      // whatever the setting for the reset: a retry topic also has records from before the first commit
      if (stage > 0 && offset == null && known != null) {
        consumer().seekToBeginning(List.of(id));
      }
    }
    recent = null;
    waits.endPoll();
  }

  /** Reads the committed offsets of partitions; null if they are not known. */
  private @Nullable Map<TopicPartition, OffsetAndMetadata> committed(List<TopicPartition> assigned)
      throws InterruptedException {
    for (int i = 1;; i++) {
      try {
        Map<TopicPartition, OffsetAndMetadata> committed = consumer().committed(assigned, COMMITTED_TIMEOUT);
        listeners.solved(WorkListeners.Need.OFFSETS);
        return committed;
      } catch (KafkaException e) {
        boolean mustKnow = commits.mustKnowWhatIsDone();
        listeners.failed(WorkListeners.Need.OFFSETS, "what was done of " + assigned + " is not known, "
            + (mustKnow ? "and is asked again" : "and may be done again"), e);
        if (mustKnow && i == MOST_COMMITTED) {
          fail(e); // records that are done already would have their results twice
        }
        if (!mustKnow || failure != null) {
          return null;
        }
      }
    }
  }

  /** Divides the places among the partitions of main topics. Records of retry topics have a bound of their own. */
  private void share() {
    int count = 0;
    for (PartitionWork partition : partitions.values()) {
      count += partition.stage == 0 ? 1 : 0;
    }
    schedule.share(count);
    missingTopics.assignmentChanged(clock.nanoTime());
  }

  private void add(PartitionWork partition) {
    partitions.put(partition.id, partition);
    share();
    if (isHeld) {
      holds.add(partition, Holds.USER);
    }
    if (predecessor(partition.id) != null) { // a record of an earlier assignment still runs
      holds.add(partition, Holds.LEAVING);
    }
    if (stages != null) {
      stages.assigned(partition);
    }
  }

  @Override
  public void onRevoked(List<TopicPartition> revoked) throws InterruptedException {
    List<PartitionWork> going = remove(revoked);
    List<PartitionWork> staying = stages == null ? List.of() : stages.removed(going);
    going.addAll(staying);
    going.forEach(PartitionWork::close);
    awaitRunning(going, clock.nanoTime() + settings.revocationTimeoutNanos());
    commits.commitNow(going, consumer(), LAST_COMMIT);
    give(going);
    if (!staying.isEmpty() && commits.isUnsettled()) {
      fail(new KafkaException(ErrorCode.NONE, "a transaction has not ended within " + LAST_COMMIT
          + ", and its records would be worked on again: start the work again", null));
    }
    staying.forEach(this::beginAnew);
    waits.endPoll();
  }

  /**
   * Restarts a partition that stays while others with its number go. It continues at its first record that is not done.
   */
  private void beginAnew(PartitionWork old) {
    long from = old.from();
    if (from >= 0) {
      consumer().seek(old.id.topic(), old.id.partition(), from);
    }
    add(new PartitionWork(old.id, old.stage, from, old.doneAbove()));
  }

  @Override
  public void onLost(List<TopicPartition> lost) {
    List<PartitionWork> going = remove(lost);
    List<PartitionWork> staying = stages == null ? List.of() : stages.removed(going);
    going.addAll(staying);
    give(going);
    staying.forEach(this::beginAnew);
    waits.endPoll();
  }

  private List<PartitionWork> remove(List<TopicPartition> ids) {
    List<PartitionWork> going = new ArrayList<>();
    for (TopicPartition id : ids) {
      PartitionWork partition = partitions.get(id);
      if (partition != null) {
        going.add(partition);
      }
    }
    return going;
  }

  /** Cancels partitions that are not assigned any more: their attempts are of no use. */
  private void give(List<PartitionWork> going) {
    for (PartitionWork partition : going) {
      partition.cancel();
      partitions.remove(partition.id);
      holds.forget(partition);
      if (partition.underWay > 0) {
        leaving.add(partition);
      }
    }
    share();
    recent = null;
    failures.abandonClosed();
    commits.dropCancelled();
    crew.interrupt(Long.MIN_VALUE);
  }

  /** Waits for attempts of closed partitions. Other partitions go on meanwhile with records that are under way. */
  private void awaitRunning(Collection<PartitionWork> going, long deadlineNanos) {
    failures.abandonClosed();
    while (true) {
      waits.beginStep();
      long now = clock.nanoTime();
      reap(now);
      begin();
      boolean isRunning = false;
      for (PartitionWork partition : going) {
        isRunning |= crew.isAt(partition) || partition.begun > 0 || failures.isCopying(partition);
      }
      if (!isRunning && crew.depth() > 0) {
        continue; // the attempt ended between the two looks
      }
      if (!isRunning || now - deadlineNanos >= 0) {
        return;
      }
      waits.park(Math.min(deadlineNanos - now, CHECK_NANOS), 1, finished);
    }
  }

  // The end.

  /**
   * Finishes the records that were taken, until the deadline of a close. After a failure, it only waits for attempts
   * that run.
   */
  private void drain() throws InterruptedException {
    takes = false;
    schedule.abandonWaiting();
    long deadline = control.closeBy(clock.nanoTime() + settings.revocationTimeoutNanos());
    while (failure == null && schedule.underWay() > 0) {
      waits.beginStep();
      long now = advance();
      commits.hurry(now);
      if (!commit(now) || now - deadline >= 0 || schedule.underWay() == 0) {
        break;
      }
      if (schedule.due().size() > 0 && isOnlyDueAfter(deadline)) {
        break;
      }
      poll(Duration.ZERO);
      waits.park(Math.min(Math.min(deadline - now, CHECK_NANOS), Math.max(0, nextDue(now) - now)), 1, finished);
    }
    partitions.values().forEach(PartitionWork::close);
    awaitRunning(partitions.values(), deadline);
  }

  private boolean isOnlyDueAfter(long deadline) {
    return schedule.due().size() == schedule.underWay() && schedule.due().firstNanos() - deadline > 0;
  }

  /** Commits what is done, leaves the group, and releases everything. */
  private void close() {
    closing(() -> commits.commitNow(partitions.values(), consumer(), LAST_COMMIT));
    closing(() -> give(List.copyOf(partitions.values()))); // before the close of the source revokes them
    closing(() -> consumer().close());
    closing(missingTopics::close);
    if (stages != null) {
      closing(stages::close);
    }
    closing(() -> {
      if (!crew.close(clock.nanoTime() + GRACE_NANOS)) {
        listeners.failed(WorkListeners.Need.END,
            "handlers of group " + settings.group() + " run on although the work is closed",
            new InterruptedException("they were interrupted"));
      }
    });
    closing(() -> commits.close(LAST_TRANSACTION));
    CopySink sink = copies;
    if (sink != null) {
      closing(() -> sink.close(LAST_COMMIT));
    }
    closing(schedule::close);
  }

  private interface Step {
    void run() throws Exception;
  }

  /** Takes a step of the end. Its failure must not keep the other steps from releasing the rest. */
  private void closing(Step step) {
    try {
      step.run();
    } catch (Exception | Error e) {
      if (e instanceof InterruptedException) {
        Thread.currentThread().interrupt();
      }
      fail(e);
    }
  }

  private WorkStatus status(WorkStatus.State state) {
    List<WorkStatus.PartitionStatus> all = new ArrayList<>();
    if (state != WorkStatus.State.CLOSED) {
      for (PartitionWork partition : partitions.values()) {
        long first = partition.window.size() == 0 ? partition.position : partition.window.first();
        long lag = consumer().currentLag(partition.id.topic(), partition.id.partition());
        all.add(new WorkStatus.PartitionStatus(partition.id, partition.committed, first, partition.window.size(), lag));
      }
    }
    reportedDone = Math.max(reportedDone, done);
    int working = starts == null ? crew.working() : starts.running();
    return new WorkStatus(state, failure, schedule.underWay(), schedule.bytes(), working, failures.awaitingRetry(),
        failures.awaitingDeadLetter(), commits.awaitingCommit(), reportedDone, listeners.failedAttempts(),
        listeners.failedRecords(), listeners.problem(), all, Duration.ofNanos(schedule.oldestAge(clock.nanoTime())),
        boundPauses + holds.boundPauses(),
        stages == null || state == WorkStatus.State.CLOSED ? List.of() : stages.status());
  }
}
