package dev.decant.fix.store;

import dev.decant.fix.segment.Storage;
import java.io.IOException;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/** A disk that is full, broken, or slow on command. */
final class FaultyStorage extends Storage {
  final AtomicInteger forces = new AtomicInteger();
  volatile boolean isFull;
  volatile boolean isBroken;
  /** Files are made only with a permit if this is set. */
  volatile @Nullable Semaphore permits;
  volatile int forcedFrom;
  volatile int forcedTo;

  @Override
  public void writeZeros(FileChannel channel, long from, long to) throws IOException {
    Semaphore gate = permits;
    if (gate != null) {
      gate.acquireUninterruptibly();
    }
    if (isFull) {
      super.writeZeros(channel, from, (from + to) / 2);
      throw new IOException("No space left on device");
    }
    super.writeZeros(channel, from, to);
  }

  @Override
  public void force(MappedByteBuffer memory, int from, int to) throws IOException {
    if (isBroken) {
      throw new IOException("Input/output error");
    }
    super.force(memory, from, to);
    forcedFrom = from;
    forcedTo = to;
    forces.incrementAndGet();
  }
}
