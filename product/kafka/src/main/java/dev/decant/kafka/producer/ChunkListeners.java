package dev.decant.kafka.producer;

import dev.decant.kafka.KafkaException;
import dev.decant.kafka.event.ErrorKind;
import dev.decant.kafka.telemetry.ErrorFunnel;
import org.jspecify.annotations.Nullable;

/**
 * The listener, tag and timestamp of each record of a chunk. Most records have the default listener, with which the
 * chunk was opened: for them only tag and timestamp are stored, since a reference costs the collector's write barrier.
 * If nobody listens, nothing is stored.
 *
 * <p>Opened before the chunk is published. The thread that claimed a place writes it, and the owner of the loop reads
 * it after its commit.
 */
final class ChunkListeners {
  private static final SendListener NOBODY = new SendListener() {
    @Override
    public void onAck(long tag, int partition, long offset, long timestamp) {}

    @Override
    public void onFailure(long tag, KafkaException error) {}
  };

  private @Nullable SendListener defaultListener;
  /** Which records were never written; null for none. */
  private boolean @Nullable [] abandoned;
  private int records;
  /** Tag and timestamp of each record in turn. Kept for later uses; long enough before a record is acknowledged. */
  private volatile long[] details = {};
  /** The listener of a record, if it is not the default one; {@link #NOBODY} for none. Kept too. */
  private volatile @Nullable SendListener @Nullable [] others;

  /** Begins anew, for so many records at most. */
  void open(@Nullable SendListener listener, int maxRecords) {
    defaultListener = listener;
    abandoned = null;
    records = maxRecords;
    if (listener != null && details.length < 2 * maxRecords) {
      makeRoom();
    }
  }

  /** Under the monitor: a thread that was suspended before its claim may prepare for the use before. */
  private synchronized void makeRoom() {
    if (details.length < 2 * records) {
      details = new long[2 * records];
    }
  }

  /** Makes room for a record with this listener, before it claims a place: {@link #add} does not allocate then. */
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
      roomForOthers()[index] = listener == null ? NOBODY : listener;
    }
    if (listener != null) {
      long[] d = details;
      d[2 * index] = tag;
      d[2 * index + 1] = timestamp;
    }
  }

  /** Once in the life of most chunks; whoever comes here finds the same array that others have written to already. */
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

  /** The listener of a record; its tag goes into the record. */
  @Nullable
  SendListener get(int index, PendingRecord record) {
    @Nullable
    SendListener[] own = others;
    SendListener other = own == null || index >= own.length ? null : own[index];
    SendListener listener = other == null ? defaultListener : other;
    record.tag = listener == null ? 0 : details[2 * index];
    return listener;
  }

  /** The listeners of these records are not called: their senders have an exception. */
  void mute(boolean[] which) {
    abandoned = which;
  }

  /** No listener is called from here any more. */
  void forget(int count) {
    for (int i = 0; i < count; i++) {
      take(i);
    }
    defaultListener = null;
  }

  /** The listener of a record, which is forgotten. */
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

  private boolean isEmpty() {
    return defaultListener == null && others == null;
  }

  void acknowledge(int count, int partition, long firstOffset, long logAppendTime, ErrorFunnel errors) {
    tell(count, null, partition, firstOffset, logAppendTime, errors);
  }

  void fail(int count, int partition, KafkaException error, ErrorFunnel errors) {
    tell(count, error, partition, -1, -1, errors);
  }

  private void tell(int count, @Nullable KafkaException failure, int partition, long firstOffset, long logAppendTime,
      ErrorFunnel errors) {
    if (isEmpty()) {
      return;
    }
    long[] d = details;
    boolean[] muted = abandoned;
    for (int i = 0; i < count; i++) {
      SendListener listener = take(i);
      if (listener == null || (muted != null && muted[i])) {
        continue;
      }
      try {
        if (failure != null) {
          listener.onFailure(d[2 * i], partition, failure);
        } else {
          listener.onAck(d[2 * i], partition, firstOffset < 0 ? -1 : firstOffset + i,
              logAppendTime >= 0 ? logAppendTime : d[2 * i + 1]);
        }
      } catch (Throwable e) {
        errors.report(ErrorKind.LISTENER_FAILED, "SendListener", e);
      }
    }
    defaultListener = null;
  }
}
