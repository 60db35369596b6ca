package dev.decant.kafka.work;

import dev.decant.kafka.consumer.ConsumerRecord;
import dev.decant.kafka.consumer.CopiedRecord;
import dev.decant.kafka.serialization.Decoder;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The state of the work, without threads, brokers or a clock. It has the records under way, the order in which they may
 * be begun, and their outcomes. The loop only, except for the chains and the ring that workers share.
 */
final class Schedule<K, V> {
  private final Order order;
  private final ReadyRing<Slot<K, V>> ready;
  private final KeyTable<K, V> keys;
  private final RecordMemory memory;
  private final DueSlots<K, V> due = new DueSlots<>();
  private final int slots;
  /** The bound of places for each partition from the settings; 0 to divide all places among the partitions. */
  private final int setPerPartition;
  private int mostPerPartition;
  /** Records that are done and wait for their transaction; null without transactions. */
  private @Nullable HeldRecords<K, V> held;
  private final boolean isOrderedInStages;
  /** Null without retry topics. */
  private @Nullable Admission<K, V> admission;
  /** All slots, free ones too, for the status. */
  private final List<Slot<K, V>> all;
  private long nowNanos;
  private @Nullable Slot<K, V> free;
  private int underWay;
  /** Number of records that wait for the due time of a retry topic, and of those behind them. */
  private int waiting;
  private int inStages;
  private long endedInStages;
  /** The index of the next ready record. {@link #publish} shows all before it to workers at once. */
  private long readyEnd;
  private long readyPublished;

  Schedule(WorkSettings settings, ReadyRing<Slot<K, V>> ready, Decoder<? extends K> keyDecoder,
      Decoder<? extends V> valueDecoder) {
    this(settings, ready, keyDecoder, valueDecoder, null);
  }

  Schedule(WorkSettings settings, ReadyRing<Slot<K, V>> ready, Decoder<? extends K> keyDecoder,
      Decoder<? extends V> valueDecoder, @Nullable ResultMemory results) {
    this.order = settings.order();
    this.ready = ready;
    this.slots = settings.maxUnderWay();
    this.setPerPartition = settings.maxUnderWayPerPartition();
    this.mostPerPartition = setPerPartition > 0 ? setPerPartition : slots;
    this.isOrderedInStages = settings.isOrderedInRetryTopics();
    this.keys = new KeyTable<>(slots);
    this.memory = new RecordMemory(settings.maxBytes());
    this.all = new ArrayList<>(slots);
    for (int i = 0; i < slots; i++) {
      Slot<K, V> slot = new Slot<>(keyDecoder, valueDecoder, results);
      slot.nextInTable = free;
      free = slot;
      all.add(slot);
    }
  }

  /** Sets the time at which the next records are taken. */
  void now(long nanos) {
    nowNanos = nanos;
  }

  /** Returns the time since the oldest record under way was taken; 0 if none is. It reads all slots. */
  long oldestAge(long now) {
    long oldest = 0;
    for (Slot<K, V> slot : all) {
      if (slot.partition != null) {
        oldest = Math.max(oldest, now - slot.takenNanos);
      }
    }
    return oldest;
  }

  /** Makes records that are done wait for a transaction. Called before the first one is taken. */
  void holdUntilCommit(HeldRecords<K, V> until) {
    held = until;
  }

  void admission(Admission<K, V> by) {
    admission = by;
  }

  int underWay() {
    return underWay;
  }

  int waiting() {
    return waiting;
  }

  /** Number of records of retry topics that are under way. */
  int inStages() {
    return inStages;
  }

  /** Number of records of retry topics that have ended since the start. */
  long endedInStages() {
    return endedInStages;
  }

  long bytes() {
    return memory.bytes();
  }

  DueSlots<K, V> due() {
    return due;
  }

  /** Returns true if a slot is free for a record of any partition. */
  boolean hasSlot() {
    return free != null;
  }

  boolean hasRoom(PartitionWork partition) {
    return partition.underWay < mostPerPartition;
  }

  int mostPerPartition() {
    return mostPerPartition;
  }

  /**
   * Shares the places among partitions, unless the settings have a number for each. With more for one of them, a few
   * partitions that wait for a slow handler would take the places of all others.
   */
  void share(int partitions) {
    if (setPerPartition == 0) {
      mostPerPartition = Math.max(1, slots / Math.max(1, partitions));
    }
  }

  /** Takes a record, or finds that it was done before. Returns false if there is no memory for it. */
  boolean take(PartitionWork partition, ConsumerRecord<K, V> record) {
    return take(partition, record, null, 0);
  }

  /** Takes a record of a retry topic, with its origin and its due time on the loop's clock. */
  boolean take(PartitionWork partition, ConsumerRecord<K, V> record, @Nullable Origin origin, long dueNanos) {
    long offset = record.offset();
    if (partition.wasDone(offset)) {
      partition.done(partition.window.add(offset));
      return true;
    }
    int bytes = CopiedRecord.bytesOf(record);
    RecordPage page = memory.reserve(bytes);
    Slot<K, V> slot = free;
    if (page == null || slot == null) {
      return false;
    }
    free = slot.nextInTable;
    slot.nextInTable = null;
    slot.copied().take(record, page.memory, page.take(bytes));
    memory.taken(bytes);
    slot.page = page;
    slot.bytes = bytes;
    slot.partition = partition;
    slot.takenNanos = nowNanos;
    slot.offset = offset;
    slot.place = partition.window.add(offset);
    partition.underWay++;
    inStages += partition.stage > 0 ? 1 : 0;
    underWay++;
    Slot<K, V> before = before(slot, partition);
    if (origin != null) {
      slot.origin = origin;
      slot.attempts = origin.attempts();
      slot.dueNanos = dueNanos;
      if (admission != null) {
        admission.taken(slot);
      }
    }
    if (before == null) {
      makeReady(slot);
    } else if (!before.append(slot)) {
      slot.after = before;
      slot.afterPlace = before.place;
      makeReady(slot);
    } else if (before.isWaiting) {
      slot.isWaiting = true;
      waiting++;
    }
    return true;
  }

  /** Returns true if a record of a retry topic would wait behind one that is not due. */
  boolean isBehindWaiting(PartitionWork partition, ConsumerRecord<K, V> record) {
    byte[] key = isOrderedInStages ? record.keyBytesCopy() : null;
    Slot<K, V> before = key == null ? null : keys.find(partition, key);
    return before != null && before.isWaiting;
  }

  /** Makes a record at its turn, and those behind it, wait until it is due. */
  void awaitDue(Slot<K, V> head) {
    for (Slot<K, V> slot = head; slot != null && !slot.isWaiting; slot = slot.follower()) {
      slot.isWaiting = true;
      waiting++;
    }
    due.add(head);
  }

  /** Marks a due record, and those behind it, as no longer waiting. */
  void isDue(Slot<K, V> head) {
    for (Slot<K, V> slot = head; slot != null && slot.isWaiting; slot = slot.follower()) {
      slot.isWaiting = false;
      waiting--;
    }
  }

  /** Puts a new record at the end of its order. Returns the record that was last; null if there was none. */
  @SuppressWarnings("unchecked")
  private @Nullable Slot<K, V> before(Slot<K, V> slot, PartitionWork partition) {
    return switch (partition.stage == 0 || isOrderedInStages ? order : Order.NONE) {
      case BY_KEY -> {
        CopiedRecord<K, V> copy = slot.copied();
        if (copy.keyLength() < 0) {
          yield null;
        }
        slot.hash = KeyTable.hash(copy.memory(), copy.keyOffset(), copy.keyLength());
        yield keys.put(slot);
      }
      case BY_PARTITION -> {
        Slot<K, V> last = (Slot<K, V>) partition.last;
        partition.last = slot;
        yield last;
      }
      case NONE -> null;
    };
  }

  /**
   * Lets a record be begun after the next {@link #publish}, if it is admitted. A worker that goes on to the record
   * behind its own does not ask for admission. The record before was admitted, so no record of the key was pending in a
   * later stage. None has come there since, because the records behind it wait.
   */
  void makeReady(Slot<K, V> slot) {
    Admission<K, V> by = admission;
    if (by == null || by.admits(slot)) {
      ready.add(slot, readyEnd++);
    }
  }

  /** Lets workers begin ready records. Returns how many they did not see before. */
  int publish() {
    int count = (int) (readyEnd - readyPublished);
    if (count > 0) {
      ready.publish(readyEnd);
      readyPublished = readyEnd;
    }
    return count;
  }

  /**
   * Ends a record that a worker has finished. The worker has begun the record behind it, or has pushed it with this
   * one.
   */
  void done(Slot<K, V> slot) {
    HeldRecords<K, V> until = held;
    if (until == null) {
      slot.in().done(slot.place);
      ended(slot);
      free(slot);
    } else {
      until.add(slot);
    }
  }

  /** Ends a record that no worker has finished, and makes the record behind it ready. */
  void doneByLoop(Slot<K, V> slot) {
    HeldRecords<K, V> until = held;
    if (until == null) {
      slot.in().done(slot.place);
      ended(slot);
    }
    Slot<K, V> next = slot.finish();
    if (next != null) {
      makeReady(next);
    }
    if (until == null) {
      free(slot);
    } else {
      until.add(slot);
    }
  }

  /** Ends a record whose transaction is committed. */
  void committed(Slot<K, V> slot) {
    slot.in().window.acknowledgeAt(slot.place);
    ended(slot); // not before: results of later records of its key must not be seen earlier
    free(slot);
  }

  private void ended(Slot<K, V> slot) {
    if (admission != null) {
      admission.done(slot);
    }
  }

  /** Counts the results of a record that is done, until its transaction ends. */
  void hold(Slot<K, V> slot) {
    Results results = slot.results();
    slot.resultBytes = results == null ? 0 : results.bytes();
    memory.addResults(slot.resultBytes);
  }

  /** Drops the results of a record, which are not to be sent. */
  void dropResults(Slot<K, V> slot) {
    memory.dropResults(slot.resultBytes);
    slot.resultBytes = 0;
    slot.dropResults();
  }

  /** Frees a record that is not done, and all that wait for it. The next member of the partition begins with them. */
  void abandon(Slot<K, V> slot) {
    Slot<K, V> at = slot;
    while (at != null) {
      Slot<K, V> next = at.finish();
      free(at);
      at = next;
    }
  }

  /** Frees a record that a worker has abandoned. The worker goes on with the records that wait for it. */
  void abandonedByWorker(Slot<K, V> slot) {
    free(slot);
  }

  private void free(Slot<K, V> slot) {
    PartitionWork partition = slot.in();
    keys.remove(slot);
    if (partition.last == slot) {
      partition.last = null;
    }
    partition.underWay--;
    underWay--;
    if (slot.isWaiting) {
      waiting--;
    }
    if (partition.stage > 0) {
      inStages--;
      endedInStages++;
    }
    RecordPage page = slot.page;
    if (page != null) {
      memory.release(page, slot.bytes);
    }
    memory.dropResults(slot.resultBytes);
    slot.clear();
    slot.nextInTable = free;
    free = slot;
  }

  /** Abandons waiting records of partitions that are not open any more. */
  void abandonDue() {
    abandonDue(slot -> !slot.in().isOpen());
  }

  /** Abandons records that wait for the due time of a retry topic. They stay in the topic. */
  void abandonWaiting() {
    abandonDue(slot -> slot.isWaiting);
  }

  private void abandonDue(Predicate<Slot<K, V>> which) {
    List<Slot<K, V>> kept = new ArrayList<>(due.size());
    for (Slot<K, V> slot = due.takeAny(); slot != null; slot = due.takeAny()) {
      if (which.test(slot)) {
        abandon(slot);
      } else {
        kept.add(slot);
      }
    }
    kept.forEach(due::add);
  }

  void close() {
    memory.close();
  }
}
