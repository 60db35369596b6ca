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
 * A record under way, and its place among those that wait for each other: each has a link to the one behind it. The
 * loop appends to the last of a chain while a worker finishes it. Both change the link, and so agree on who goes on:
 * what was appended in time is begun by the worker, and what comes later by the loop. Slots are used again; nothing is
 * allocated for a record.
 *
 * <p>The loop writes all fields before the slot is ready. A worker has it from then until it pushes it to the
 * {@link DoneStack}, and writes {@link #outcome} and {@link #error} only.
 */
final class Slot<K, V> implements WorkContext {
  /** What a worker says of a record. */
  enum Outcome {
    /** Not worked on yet. */
    NONE,
    DONE,
    FAILED,
    /** Not begun, or of no use: its partition has gone elsewhere. */
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

  /** The link of a record that is done: nothing can be appended any more. */
  @SuppressWarnings("rawtypes")
  private static final Slot END = new Slot<>();

  final @Nullable CopiedRecord<K, V> copy;
  /** Memory of results; null without transactions. */
  private final @Nullable ResultMemory resultMemory;

  // The loop.
  @Nullable
  PartitionWork partition;
  long place;
  long offset;
  /** Hash of the key's bytes; only if the record has a key, and its order is by key. */
  long hash;
  @Nullable
  RecordPage page;
  int bytes;
  int attempts;
  /** When it was taken, on the loop's clock. */
  long takenNanos;
  /** When it is due again, on the loop's clock. */
  long dueNanos;
  /** The next one of the same bucket of the {@link KeyTable}, or of those that are free. */
  @Nullable
  Slot<K, V> nextInTable;
  boolean isInTable;
  /** Whether an asynchronous handler has begun it, and the loop has not heard of its end. */
  boolean isBegun;

  /** The record before it in its order, if that had ended and the loop may not have heard of it; and its place. */
  @Nullable
  Slot<K, V> after;
  long afterPlace;
  /** Whether the loop has heard that it is done. With transactions. */
  boolean isHeld;
  /** What its results take while it waits for its transaction. */
  int resultBytes;
  /** Whether its result is the copy of a record that has failed. */
  boolean isCopied;
  /** Where a record of a retry topic comes from; null for a record of a main topic. */
  @Nullable
  Origin origin;
  /** The stage whose topic takes the copy of this record; 0 for the dead letters. */
  int target;
  /** Whether the record goes to a retry topic behind another of its key, and not because it has failed. */
  boolean isFollower;
  /** Whether the pending keys of the target count it, while its copy is on its way. */
  boolean isCounted;
  /** Whether it waits for the due time of a retry topic, or behind a record that does. */
  boolean isWaiting;
  /** Whether its dead letter goes without its value. */
  boolean isWithoutValue;
  /** How often its copy could not be stored. */
  int failedCopies;

  // The worker, then the loop.
  Outcome outcome = Outcome.NONE;
  @Nullable
  Throwable error;
  /** Why its copy was not stored. */
  @Nullable
  Throwable copyError;
  /** Where its copy is; the offset is -1 if the broker did not say. */
  int copyPartition;
  long copyOffset;
  @Nullable
  Slot<K, V> nextDone;
  int doneDepth;
  /** Results of the attempt; made with the first, and kept for other records. */
  private @Nullable Results results;
  /** The thread that runs the handler: the only one that sees itself here. */
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

  /** Has another record wait for this one; false if this one is done. The loop. */
  boolean append(Slot<K, V> behind) {
    return FOLLOWER.compareAndSet(this, null, behind);
  }

  /** The record that waits for this one, if there is one yet. The worker. */
  @Nullable
  Slot<K, V> follower() {
    return follower;
  }

  /** This record is done: gives the one that waits for it, the first time. The worker or the loop. */
  @SuppressWarnings({"unchecked", "ReferenceEquality"}) // there is one end
  @Nullable
  Slot<K, V> finish() {
    Slot<K, V> next = (Slot<K, V>) FOLLOWER.getAndSet(this, END);
    return next == END ? null : next;
  }

  /** Whether the record before it in its order has ended, and the loop has not heard of it. Its slot may be reused. */
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

  /** Results of the attempt, for another one. The thread that may add it. */
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

  /** The attempt has failed, or the results are committed. The loop. */
  void dropResults() {
    isCopied = false;
    Results of = results;
    if (of != null) {
      of.clear();
    }
  }

  /** For another record. The loop, when nobody else knows this slot. */
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

  /** This object serves other records later: without this, a result of an ended attempt would be one of theirs. */
  private void requireRunning() {
    requireTransactions();
    if (!Thread.currentThread().equals(runner)) {
      throw new IllegalStateException("produce: not from this thread, or too late: the thread that runs the handler"
          + " produces results, until the handler returns");
    }
  }
}
