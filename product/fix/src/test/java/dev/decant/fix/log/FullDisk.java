package dev.decant.fix.log;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/** Real files on a disk of a size that tests set. */
final class FullDisk implements AppendFile.Opener {
  /** Bytes that are still free. */
  final AtomicLong free;
  final AtomicInteger attempts = new AtomicInteger();
  final AtomicInteger writes = new AtomicInteger();
  volatile boolean opens = true;

  FullDisk(long free) {
    this.free = new AtomicLong(free);
  }

  @Override
  public AppendFile open(Path path) throws IOException {
    attempts.incrementAndGet();
    if (!opens) {
      throw new IOException("no such device");
    }
    AppendFile file = AppendFile.open(path);
    return new AppendFile() {
      @Override
      public int write(ByteBuffer bytes) throws IOException {
        attempts.incrementAndGet();
        int room = (int) Math.min(free.get(), bytes.remaining());
        if (room <= 0) {
          throw new IOException("No space left on device");
        }
        int limit = bytes.limit();
        bytes.limit(bytes.position() + room);
        int written = file.write(bytes);
        bytes.limit(limit);
        free.addAndGet(-written);
        writes.incrementAndGet();
        return written;
      }

      @Override
      public long size() throws IOException {
        return file.size();
      }

      @Override
      public void truncate(long size) throws IOException {
        file.truncate(size);
      }

      @Override
      public void close() throws IOException {
        file.close();
      }
    };
  }
}
