package dev.decant.fix.log;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/** What the log does with a file. Tests put a disk here that fails. */
interface AppendFile extends AutoCloseable {
  /** Opens files. */
  interface Opener {
    /** Opens a file, which is made if there is none. */
    AppendFile open(Path path) throws IOException;
  }

  /** Writes to the end; returns the number of bytes taken. */
  int write(ByteBuffer bytes) throws IOException;

  long size() throws IOException;

  /** Cuts the end off. */
  void truncate(long size) throws IOException;

  @Override
  void close() throws IOException;

  /** A file of the file system. */
  static AppendFile open(Path path) throws IOException {
    return new Channel(FileChannel.open(path, StandardOpenOption.CREATE, StandardOpenOption.APPEND));
  }

  /** The channel of a file. */
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
