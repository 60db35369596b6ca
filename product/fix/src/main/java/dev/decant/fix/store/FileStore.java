package dev.decant.fix.store;

import dev.decant.fix.status.StoreStatus;
import dev.decant.fix.store.FileStores.Force;
import java.io.IOException;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/** Writes records to the segments on the calling thread. */
final class FileStore implements MessageStore {
  private static final ByteBuffer NO_BODY = ByteBuffer.allocateDirect(0);

  private final SegmentLog log;
  private final SequenceNumbers numbers;
  private final Force force;
  private final boolean keepInbound;
  private final long waitNanos;
  /** Why the last change was refused; null if it was not. */
  private @Nullable IOException failure;
  private boolean isClosed;

  FileStore(SegmentLog log, FileStores settings) {
    this.log = log;
    numbers = log.numbers();
    force = settings.force;
    keepInbound = settings.keepInbound;
    waitNanos = settings.waitNanos;
  }

  @Override
  public long nextOutbound() {
    return numbers.nextOutbound();
  }

  @Override
  public long nextInbound() {
    return numbers.nextInbound();
  }

  @Override
  public long createdEpochNanos() {
    return numbers.createdEpochNanos();
  }

  @Override
  public StoreStatus status() {
    return new StoreStatus("file", EpochNanos.instant(createdEpochNanos()), isClosed ? 0 : log.usedBytes(),
        isClosed ? 0 : log.fileBytes());
  }

  @Override
  public boolean appendOutbound(long number, long epochNanos, ByteBuffer buffer, int from, int to) {
    return append(RecordKind.OUTBOUND, number, epochNanos, buffer, from, to);
  }

  @Override
  public boolean setNextOutbound(long number, long epochNanos) {
    return append(RecordKind.NEXT_OUTBOUND, number, epochNanos, NO_BODY, 0, 0);
  }

  @Override
  public boolean appendInbound(long number, long epochNanos, ByteBuffer buffer, int from, int to) {
    return keepInbound
        ? append(RecordKind.INBOUND_MESSAGE, number, epochNanos, buffer, from, to)
        : append(RecordKind.INBOUND, number, epochNanos, NO_BODY, 0, 0);
  }

  @Override
  public boolean setNextInbound(long number, long epochNanos) {
    return append(RecordKind.NEXT_INBOUND, number, epochNanos, NO_BODY, 0, 0);
  }

  @Override
  public boolean reset(long epochNanos) {
    return append(RecordKind.RESET, 1, epochNanos, NO_BODY, 0, 0);
  }

  private boolean append(int kind, long number, long epochNanos, ByteBuffer body, int from, int to) {
    requireOpen();
    numbers.require(kind, number);
    if (log.append(kind, number, epochNanos, body, from, to)) {
      failure = null;
      return true;
    }
    return appendSlowPath(kind, number, epochNanos, body, from, to);
  }

  private boolean appendSlowPath(int kind, long number, long epochNanos, ByteBuffer body, int from, int to) {
    log.awaitSegment(waitNanos);
    boolean isAppended = log.append(kind, number, epochNanos, body, from, to);
    failure = isAppended ? null : log.refusal();
    return isAppended;
  }

  @Override
  public boolean commit() {
    requireOpen();
    failure = switch (force) {
      case NEVER -> null;
      case AT_INTERVALS -> log.forceFailure();
      case EVERY_MESSAGE -> log.force() ? null : log.refusal();
    };
    return failure == null;
  }

  @Override
  public boolean needsCommit() {
    return force != Force.NEVER;
  }

  @Override
  public void replayOutbound(long fromNumber, long toNumber, Replay replay) throws IOException {
    requireOpen();
    log.replayOutbound(fromNumber, toNumber, replay);
  }

  @Override
  public void replayInbound(long fromNumber, long toNumber, Replay replay) throws IOException {
    requireOpen();
    if (!keepInbound) {
      throw new UnsupportedOperationException("messages that arrive are not kept; see FileStores.Builder.keepInbound");
    }
    log.replayInbound(fromNumber, toNumber, replay);
  }

  @Override
  public @Nullable IOException failure() {
    return failure;
  }

  @Override
  public void close() {
    if (!isClosed) {
      isClosed = true;
      failure = log.close();
    }
  }

  private void requireOpen() {
    if (isClosed) {
      throw new IllegalStateException("the store is closed");
    }
  }
}
