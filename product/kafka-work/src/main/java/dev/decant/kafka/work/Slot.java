package dev.decant.kafka.work;

import dev.decant.kafka.cluster.TopicName;
import dev.decant.kafka.consumer.ConsumerRecord;
import dev.decant.kafka.consumer.CopiedRecord;
import dev.decant.kafka.producer.SendOptions;
import dev.decant.kafka.serialization.Decoder;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import org.jspecify.annotations.Nullable;

/**
 * A record under way, and its place in a chain of records that wait for each other: each slot links to the one behind
 * it. The loop may append to the last slot of a chain while a worker finishes it. Both change the link, so exactly one
 * of them begins the record behind: the worker if the record was appended in time, else the loop. Slots are used again,
 * and nothing is allocated for a record.
 *
 * <p>The loop writes all fields before the slot is ready. From then on a worker owns it, until it pushes it to the
 * {@link DoneStack}. The worker writes {@link #outcome}, {@link #error}, {@link #runner} and the results only.
 */
final class Slot<K, V> implements WorkContext {
  /** The outcome of an attempt or of a copy. */
  enum Outcome {
    /** No handler has worked on the record yet. */
    NONE,
    DONE,
    FAILED,
    /** The record was not begun, because its partition is not open any more. */
    ABANDONED,
    /** A copy is stored: a dead letter, or a record of a retry topic. */
    COPIED,
    /** The copy was not stored. */
    NOT_COPIED
  }

  private static final VarHandle FOLLOWER;

  static {
    try {
      FOLLOWER = MethodHandles.lookup().findVarHandle(Slot.class, "follower", Slot.class);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  /** The link of a record that is done: no record can be appended any more. */
  @SuppressWarnings("rawtypes")
  private static final Slot END = new Slot<>();

  final @Nullable CopiedRecord<K, V> copy;
  /** The memory for results; null without transactions. */
  private final @Nullable ResultMemory resultMemory;

  // The loop.
  @Nullable
  PartitionWork partition;
  long place;
  long offset;
  /** Hash of the key's bytes. Valid if the record has a key and the order is by key. */
  long hash;
  @Nullable
  RecordPage page;
  int bytes;
  int attempts;
  /** When the record was taken, on the loop's clock. */
  long takenNanos;
  /** When the record, or its copy, is due again, on the loop's clock. */
  long dueNanos;
  /** The next slot in the same bucket of the {@link KeyTable}, or in the list of free slots. */
  @Nullable
  Slot<K, V> nextInTable;
  boolean isInTable;
  /** True from the call of an asynchronous handler until the loop has taken the end of the record. */
  boolean isBegun;

  /**
   * The record before this one in its order, and its place, if it had ended when this one was taken. The loop may not
   * have taken that end yet.
   */
  @Nullable
  Slot<K, V> after;
  long afterPlace;
  /** True once the record waits for its transaction. */
  boolean isHeld;
  /** Bytes of the results while the record waits for its transaction. */
  int resultBytes;
  /** True if this record has failed and its result is a copy of it. */
  boolean isCopied;
  /** Where a record of a retry topic comes from; null for a record of a main topic. */
  @Nullable
  Origin origin;
  /** The stage whose topic takes the copy of this record; 0 for the dead letters. */
  int target;
  /** True if the record goes to a retry topic behind another record of its key, and not because it has failed. */
  boolean isFollower;
  /** True while the copy is under way and the pending keys of its target count it. */
  boolean isCounted;
  /** True if the record waits for the due time of a retry topic, or behind a record that does. */
  boolean isWaiting;
  /** True if the dead letter goes without the value. */
  boolean isWithoutValue;
  /** How often the copy could not be stored. */
  int failedCopies;

  // The worker, then the loop.
  Outcome outcome = Outcome.NONE;
  @Nullable
  Throwable error;
  /** Why the copy was not stored. */
  @Nullable
  Throwable copyError;
  /** Partition and offset of the copy; the offset is -1 if the broker did not say. */
  int copyPartition;
  long copyOffset;
  @Nullable
  Slot<K, V> nextDone;
  int doneDepth;
  /** Results of the attempt. Made with the first result, and kept for later records. */
  private @Nullable Results results;
  /** The thread that runs the handler; null between attempts. Only that thread can find itself here. */
  @Nullable
  Thread runner;

  @SuppressWarnings("unused") // by FOLLOWER
  private volatile @Nullable Slot<K, V> follower;

  private Slot() {
    copy = null;
    resultMemory = null;
  }

  Slot(Decoder<? extends K> keys, Decoder<? extends V> values) {
    this(keys, values, null);
  }

  Slot(Decoder<? extends K> keys, Decoder<? extends V> values, @Nullable ResultMemory resultMemory) {
    this.copy = new CopiedRecord<>(keys, values);
    this.resultMemory = resultMemory;
  }

  CopiedRecord<K, V> copied() {
    CopiedRecord<K, V> of = copy;
    if (of == null) {
      throw new IllegalStateException("the end of a chain is no record");
    }
    return of;
  }

  ConsumerRecord<K, V> record() {
    return copied().record();
  }

  PartitionWork in() {
    PartitionWork p = partition;
    if (p == null) {
      throw new IllegalStateException("a slot without a record");
    }
    return p;
  }

  /** Has another record wait for this one. Returns false if this one is done. The loop. */
  boolean append(Slot<K, V> behind) {
    return FOLLOWER.compareAndSet(this, null, behind);
  }

  /** Returns the record that waits for this one; null if there is none yet. The worker. */
  @Nullable
  Slot<K, V> follower() {
    return follower;
  }

  /**
   * Ends this record. The first call returns the record that waits for it, any later call null. The worker or the loop.
   */
  @SuppressWarnings({"unchecked", "ReferenceEquality"}) // END is compared by identity, because only one exists
  @Nullable
  Slot<K, V> finish() {
    Slot<K, V> next = (Slot<K, V>) FOLLOWER.getAndSet(this, END);
    return next == END ? null : next;
  }

  /**
   * Returns true if the loop has not taken the end of the record before this one. That record's slot may serve another
   * record by now.
   */
  boolean isAheadOfOrder() {
    Slot<K, V> before = after;
    return before != null && before.partition == partition && before.place == afterPlace && !before.isHeld;
  }

  /** Results of the attempt; null if it has none. */
  @Nullable
  Results results() {
    Results of = results;
    return of == null || of.count() == 0 ? null : of;
  }

  /** Returns the results of the attempt, so that the caller can add one. Called by the thread that runs the handler. */
  Results addsResults() {
    Results of = results;
    if (of == null) {
      of = new Results(requireTransactions());
      results = of;
    }
    return of;
  }

  private ResultMemory requireTransactions() {
    ResultMemory memory = resultMemory;
    if (memory == null) {
      throw new IllegalStateException("produce: this work has no transactions; call exactlyOnce(transactionalId) on its"
          + " builder");
    }
    return memory;
  }

  /** Drops the results: the attempt has failed, or they are committed. The thread that owns the slot. */
  void dropResults() {
    isCopied = false;
    Results of = results;
    if (of != null) {
      of.clear();
    }
  }

  /** Clears the slot for another record. The loop, when no other thread refers to the slot. */
  void clear() {
    copied().clear();
    dropResults();
    resultBytes = 0;
    after = null;
    isHeld = false;
    partition = null;
    page = null;
    attempts = 0;
    origin = null;
    target = 0;
    isFollower = false;
    isCounted = false;
    isWaiting = false;
    isWithoutValue = false;
    failedCopies = 0;
    outcome = Outcome.NONE;
    error = null;
    copyError = null;
    nextDone = null;
    FOLLOWER.set(this, null); // published with the slot
  }

  @Override
  public int attempt() {
    return attempts + 1;
  }

  @Override
  public RecordOrigin origin() {
    Origin from = origin;
    ConsumerRecord<K, V> of = record();
    return from == null
        ? new RecordOrigin(of.topic(), of.partition(), of.offset(), of.timestamp())
        : new RecordOrigin(from.topic(), from.partition(), from.offset(), from.timestamp());
  }

  @Override
  public boolean isCancelled() {
    PartitionWork p = partition;
    return p == null || p.isCancelled();
  }

  @Override
  public <R, S> void produce(ResultTopic<R, S> topic, @Nullable R key, @Nullable S value,
      @Nullable SendOptions options) {
    requireRunning();
    addsResults().add(topic, key, value, options);
  }

  @Override
  public void produce(String topic, byte @Nullable [] key, byte @Nullable [] value, @Nullable SendOptions options) {
    requireRunning();
    TopicName.requireLegal("produce", topic); // no broker would take it, and the whole transaction would fail
    addsResults().add(topic, key, value, options);
  }

  /**
   * Requires that the calling thread runs the handler. Without this, a result of an ended attempt would go to a later
   * record of this slot.
   */
  private void requireRunning() {
    requireTransactions();
    if (!Thread.currentThread().equals(runner)) {
      throw new IllegalStateException("produce: not from this thread, or too late: the thread that runs the handler"
          + " produces results, until the handler returns");
    }
  }
}
