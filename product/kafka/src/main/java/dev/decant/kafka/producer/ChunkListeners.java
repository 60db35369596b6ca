package dev.decant.kafka.producer;

import dev.decant.kafka.KafkaException;
import dev.decant.kafka.event.ErrorKind;
import dev.decant.kafka.telemetry.ErrorFunnel;
import java.util.Arrays;
import java.util.function.IntFunction;
import java.util.function.IntPredicate;
import org.jspecify.annotations.Nullable;

/**
 * The listener, tag and timestamp of each record of a chunk. Most records have the default listener, with which the
 * chunk was opened: only their tag and timestamp are stored, since a reference costs the collector's write barrier. For
 * a record without a listener nothing is stored.
 *
 * <p>Opened before the chunk is published. The thread that claimed a place writes it, and the owner of the loop reads
 * it after its commit.
 */
final class ChunkListeners {
  private static final SendListener NO_LISTENER = new SendListener() {
    @Override
    public void onAck(long tag, int partition, long offset, long timestamp) {}

    @Override
    public void onFailure(long tag, KafkaException error) {}
  };

  private @Nullable SendListener defaultListener;
  /** True for each record that was never written; null if all were. */
  private boolean @Nullable [] abandoned;
  private int records;
  /** Tag and timestamp of each record in turn. Kept for later uses; long enough before a record is acknowledged. */
  private volatile long[] details = {};
  /** Listeners of records that have another one than the default, {@link #NO_LISTENER} for none. Kept, too. */
  private volatile @Nullable SendListener @Nullable [] others;

  /** Begins anew, for {@code maxRecords} at most. */
  void open(@Nullable SendListener listener, int maxRecords) {
    defaultListener = listener;
    abandoned = null;
    records = maxRecords;
    if (listener != null && details.length < 2 * maxRecords) {
      makeRoom();
    }
  }

  /** Under the monitor: a thread that was suspended before its claim may still prepare for the previous use. */
  private synchronized void makeRoom() {
    if (details.length < 2 * records) {
      details = new long[2 * records];
    }
  }

  /** Makes room for a record with this listener before it claims a place, so that {@link #add} allocates nothing. */
  @SuppressWarnings("ReferenceEquality") // the very listener, not one that calls itself equal
  void prepare(@Nullable SendListener listener) {
    if (listener != defaultListener) {
      roomForOthers();
    }
  }

  private @Nullable SendListener[] roomForOthers() {
    @Nullable
    SendListener[] made = others;
    return made == null || made.length < records || details.length < 2 * records ? makeRoomForOthers() : made;
  }

  @SuppressWarnings("ReferenceEquality") // as above
  void add(int index, long tag, long timestamp, @Nullable SendListener listener) {
    if (listener != defaultListener) {
      roomForOthers()[index] = listener == null ? NO_LISTENER : listener;
    }
    if (listener != null) {
      long[] d = details;
      d[2 * index] = tag;
      d[2 * index + 1] = timestamp;
    }
  }

  /** Makes the array once in the life of most chunks. Later callers get the array to which others have written. */
  private synchronized @Nullable SendListener[] makeRoomForOthers() {
    makeRoom();
    @Nullable
    SendListener[] made = others;
    if (made == null || made.length < records) {
      made = new SendListener[records];
      others = made;
    }
    return made;
  }

  /** Marks records whose listeners are not called, because their sends have thrown an exception. */
  void mute(boolean[] which) {
    abandoned = which;
  }

  /** Forgets the default listener: the chunk is over. */
  void close() {
    defaultListener = null;
  }

  /** Returns the listener of a record, and forgets it. */
  private @Nullable SendListener take(int index) {
    @Nullable
    SendListener[] own = others;
    SendListener other = own == null || index >= own.length ? null : own[index];
    if (own == null || other == null) {
      return defaultListener;
    }
    own[index] = null;
    return other;
  }

  /** Makes room for {@link #moveBack}, so that it cannot fail. The chunk is closed and complete. */
  synchronized void prepareMove(int count) {
    if (details.length < 2 * count) {
      details = Arrays.copyOf(details, 2 * count);
    }
    @Nullable
    SendListener[] own = others;
    if (own != null && own.length < count) {
      others = Arrays.copyOf(own, count);
    }
  }

  /**
   * Moves the listeners of the marked records behind those of the others, and keeps the order of both. After
   * {@link #prepareMove}.
   *
   * @param marked gets the index of each record in the batch, from {@code offset} on
   * @param room scratch memory for the details of all marked records
   * @param otherRoom scratch memory for their listeners
   */
  void moveBack(int first, int count, IntPredicate marked, int offset, long[] room,
      @Nullable SendListener[] otherRoom) {
    long[] d = details;
    @Nullable
    SendListener[] own = others;
    int kept = first;
    int moved = 0;
    for (int i = 0; i < count; i++) {
      int at = first + i;
      if (marked.test(offset + i)) {
        System.arraycopy(d, 2 * at, room, 2 * moved, 2);
        otherRoom[moved++] = own == null ? null : own[at];
      } else {
        System.arraycopy(d, 2 * at, d, 2 * kept, 2);
        if (own != null) {
          own[kept] = own[at];
        }
        kept++;
      }
    }
    System.arraycopy(room, 0, d, 2 * kept, 2 * moved);
    if (own != null) {
      System.arraycopy(otherRoom, 0, own, kept, moved);
    }
  }

  private boolean isEmpty() {
    return defaultListener == null && others == null;
  }

  void acknowledge(int first, int count, int partition, long firstOffset, long logAppendTime, ErrorFunnel errors) {
    if (isEmpty()) {
      return;
    }
    long[] d = details;
    for (int i = 0; i < count; i++) {
      int at = first + i;
      SendListener listener = take(at);
      if (listener != null) {
        try {
          listener.onAck(d[2 * at], partition, firstOffset < 0 ? -1 : firstOffset + i,
              logAppendTime >= 0 ? logAppendTime : d[2 * at + 1]);
        } catch (Throwable e) {
          errors.report(ErrorKind.LISTENER_FAILED, "SendListener", e);
        }
      }
    }
  }

  void fail(int first, int count, int partition, IntFunction<KafkaException> error, int offset, ErrorFunnel errors) {
    if (isEmpty()) {
      return;
    }
    long[] d = details;
    boolean[] muted = abandoned;
    for (int i = 0; i < count; i++) {
      int at = first + i;
      SendListener listener = take(at);
      if (listener != null && (muted == null || !muted[at])) {
        try {
          listener.onFailure(d[2 * at], partition, error.apply(offset + i));
        } catch (Throwable e) {
          errors.report(ErrorKind.LISTENER_FAILED, "SendListener", e);
        }
      }
    }
  }
}
