package dev.decant.fix.store;

import dev.decant.fix.segment.Force;
import dev.decant.fix.segment.SegmentLog;
import dev.decant.fix.status.StoreStatus;
import java.io.IOException;
import java.nio.ByteBuffer;

/** Writes records to the segments on the calling thread. */
final class FileStore extends NumberedStore {
  private final SegmentLog log;
  private final Force force;
  private final long waitNanos;
  private final ReplayHandler handler = new ReplayHandler();

  FileStore(SegmentLog log, FileStores settings) {
    super(log.numbers(), settings.keepInbound);
    this.log = log;
    force = settings.segments.force();
    waitNanos = settings.waitNanos;
  }

  @Override
  public StoreStatus status() {
    return new StoreStatus("file", EpochNanos.instant(createdEpochNanos()), isClosed ? 0 : log.usedBytes(),
        isClosed ? 0 : log.fileBytes());
  }

  @Override
  boolean append(int kind, long number, long epochNanos, ByteBuffer body, int from, int to) {
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
    Replay outer = handler.begin(replay);
    try {
      log.replayOutbound(fromNumber, toNumber, handler);
    } finally {
      handler.end(outer);
    }
  }

  @Override
  public void replayInbound(long fromNumber, long toNumber, Replay replay) throws IOException {
    requireOpen();
    requireInbound();
    Replay outer = handler.begin(replay);
    try {
      log.replayInbound(fromNumber, toNumber, handler);
    } finally {
      handler.end(outer);
    }
  }

  @Override
  public void close() {
    if (!isClosed) {
      isClosed = true;
      failure = log.close();
    }
  }
}
