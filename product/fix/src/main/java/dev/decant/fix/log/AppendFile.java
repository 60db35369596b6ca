package dev.decant.fix.log;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/** The file operations of the log. Tests replace them to cause failures. */
interface AppendFile extends AutoCloseable {
  /** Opens files. */
  interface Opener {
    /** Opens a file, which is created if there is none. */
    AppendFile open(Path path) throws IOException;
  }

  /** Writes bytes to the end. Returns how many were written. */
  int write(ByteBuffer bytes) throws IOException;

  long size() throws IOException;

  /** Cuts the file to this size. */
  void truncate(long size) throws IOException;

  @Override
  void close() throws IOException;

  /** Opens a file of the file system. */
  static AppendFile open(Path path) throws IOException {
    return new Channel(FileChannel.open(path, StandardOpenOption.CREATE, StandardOpenOption.APPEND));
  }

  /** A file of the file system. */
  record Channel(FileChannel channel) implements AppendFile {
    @Override
    public int write(ByteBuffer bytes) throws IOException {
      return channel.write(bytes);
    }

    @Override
    public long size() throws IOException {
      return channel.size();
    }

    @Override
    public void truncate(long size) throws IOException {
      channel.truncate(size);
    }

    @Override
    public void close() throws IOException {
      channel.close();
    }
  }
}
