package dev.decant.fix.control;

import dev.decant.fix.FixSession;
import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.FileChannel;
import java.nio.channels.OverlappingFileLockException;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A Unix domain socket by which operators of the same user see and steer the sessions of an engine. It has daemon
 * threads of its own, never the loop's.
 *
 * <p>The socket is bound in a folder that only this user can enter, gets its permissions there, and is then renamed to
 * its path. So nobody else can connect at any moment, whatever the process's umask is. A file {@code PATH.lock} is
 * locked while the server runs; a socket file without a lock on it is stale, and is replaced.
 */
public final class ControlServer implements AutoCloseable {
  /** Peers at a time; others are closed at once. */
  static final int MAX_CONNECTIONS = 8;

  private static final System.Logger LOG = System.getLogger(ControlServer.class.getName());
  private static final Duration DEADLINE = Duration.ofSeconds(10);
  private static final long RETRY_NANOS = Duration.ofSeconds(1).toNanos();
  private static final Duration PATIENCE = Duration.ofSeconds(30);
  private static final Set<PosixFilePermission> OWNER_ONLY = PosixFilePermissions.fromString("rw-------");

  private final Path path;
  private final FileChannel lock;
  private final ServerSocketChannel server;
  private final Object fileKey;
  private final ControlCommands commands;
  private final long deadlineNanos;
  private final Set<ControlConnection> connections = ConcurrentHashMap.newKeySet();
  private final Set<Thread> threads = ConcurrentHashMap.newKeySet();
  private volatile boolean closed;

  private ControlServer(Path path, FileChannel lock, Supplier<List<FixSession>> sessions, Duration deadline)
      throws IOException {
    this.path = path;
    this.lock = lock;
    this.commands = new ControlCommands(sessions, PATIENCE);
    this.deadlineNanos = deadline.toNanos();
    this.server = bind(path);
    this.fileKey = String.valueOf(key(path));
  }

  /**
   * Listens, until it is closed.
   *
   * @param path of the socket; its folder exists
   * @param name of the engine, for its threads
   * @param sessions the sessions of now
   * @return the server
   * @throws IOException if another engine listens there, another file has the path, or the file system has no
   *     permissions of POSIX; names the path and the cause
   */
  public static ControlServer open(Path path, String name, Supplier<List<FixSession>> sessions) throws IOException {
    return open(path, name, sessions, DEADLINE);
  }

  static ControlServer open(Path path, String name, Supplier<List<FixSession>> sessions, Duration deadline)
      throws IOException {
    Path absolute = path.toAbsolutePath();
    FileChannel lock = null;
    try {
      lock = lock(absolute);
      ControlServer opened = new ControlServer(absolute, lock, sessions, deadline);
      opened.start(name);
      return opened;
    } catch (IOException | RuntimeException e) {
      if (lock != null) {
        lock.close();
      }
      throw e instanceof UnsupportedOperationException
          ? new IOException("control socket " + path + ": the file system has no permissions of POSIX", e)
          : new IOException("control socket " + path + ": " + reason(e), e);
    }
  }

  /** The message of some exceptions is nothing but a path. */
  private static @Nullable String reason(Exception failure) {
    return switch (failure) {
      case NoSuchFileException missing -> "its folder does not exist; create it, and let only this user enter it";
      case AccessDeniedException denied -> "this user may not write to " + denied.getFile()
          + "; give the folder to the user of the process";
      default -> failure.getMessage();
    };
  }

  private static FileChannel lock(Path path) throws IOException {
    FileChannel lock = FileChannel.open(path.resolveSibling(path.getFileName() + ".lock"),
        Set.of(StandardOpenOption.CREATE, StandardOpenOption.WRITE, LinkOption.NOFOLLOW_LINKS),
        PosixFilePermissions.asFileAttribute(OWNER_ONLY));
    try {
      if (lock.tryLock() != null) {
        return lock;
      }
    } catch (OverlappingFileLockException e) {
      // an engine of this process has it
    } catch (IOException e) {
      lock.close();
      throw e;
    }
    lock.close();
    throw new IOException("another engine has it; give each engine a path of its own");
  }

  private static ServerSocketChannel bind(Path path) throws IOException {
    if (Files.exists(path, LinkOption.NOFOLLOW_LINKS)
        && !Files.readAttributes(path, BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS).isOther()) {
      throw new FileAlreadyExistsException(path.toString(), null, "there is a file that is no socket");
    }
    Path folder = Files.createTempDirectory(path.getParent(), ".c",
        PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
    Path made = folder.resolve("s");
    ServerSocketChannel server = ServerSocketChannel.open(StandardProtocolFamily.UNIX);
    boolean isBound = false;
    try {
      server.bind(UnixDomainSocketAddress.of(made), MAX_CONNECTIONS);
      Files.setPosixFilePermissions(made, OWNER_ONLY);
      Files.move(made, path, StandardCopyOption.ATOMIC_MOVE);
      isBound = true;
      return server;
    } finally {
      if (!isBound) {
        server.close();
        Files.deleteIfExists(made);
      }
      Files.deleteIfExists(folder);
    }
  }

  private static Object key(Path path) throws IOException {
    return Files.readAttributes(path, BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS).fileKey();
  }

  private void start(String name) {
    Thread acceptor = new Thread(() -> accept(name), name + "-control");
    acceptor.setDaemon(true);
    threads.add(acceptor);
    acceptor.start();
  }

  private void accept(String name) {
    while (!closed) {
      try {
        take(server.accept(), name);
      } catch (ClosedChannelException e) {
        return;
      } catch (IOException | RuntimeException | Error e) { // no descriptors, or no thread: the next peer may have one
        LOG.log(System.Logger.Level.WARNING, "the control socket " + path + " cannot take a connection: " + e);
        LockSupport.parkNanos(this, RETRY_NANOS); // a log without a pause would fill the disk
      }
    }
  }

  private void take(SocketChannel peer, String name) throws IOException {
    boolean isServed = false;
    try {
      if (connections.size() < MAX_CONNECTIONS) {
        ControlConnection connection = new ControlConnection(peer, deadlineNanos);
        Thread thread = new Thread(() -> serve(connection), name + "-control-peer");
        thread.setDaemon(true);
        connections.add(connection);
        threads.add(thread);
        try {
          thread.start();
          isServed = true;
        } finally {
          if (!isServed) { // no thread, or no memory for it
            connections.remove(connection);
            threads.remove(thread);
            connection.close();
          }
        }
      }
    } finally {
      if (!isServed) {
        peer.close();
      }
    }
  }

  private void serve(ControlConnection connection) {
    try {
      String request = closed ? null : connection.read(); // close ends the connections that it finds
      while (request != null && !closed) {
        commands.execute(request, connection::write);
        request = connection.read();
      }
    } catch (IOException | RuntimeException e) {
      LOG.log(System.Logger.Level.DEBUG, "a connection to the control socket " + path + " ended: " + e);
    } finally {
      connections.remove(connection); // before the peer sees the end, and connects again
      close(connection);
      threads.remove(Thread.currentThread());
    }
  }

  private void close(ControlConnection connection) {
    try {
      connection.close();
    } catch (IOException e) {
      LOG.log(System.Logger.Level.DEBUG, "a connection to the control socket " + path + " was not closed well: " + e);
    }
  }

  /** Ends all connections, and deletes the socket. Again: does nothing. */
  @Override
  public void close() {
    if (closed) {
      return;
    }
    closed = true;
    try (lock; server) {
      for (ControlConnection connection : connections) {
        connection.close();
      }
      if (Files.exists(path, LinkOption.NOFOLLOW_LINKS) && String.valueOf(key(path)).equals(fileKey)) {
        Files.delete(path);
      }
    } catch (IOException e) {
      LOG.log(System.Logger.Level.DEBUG, "the control socket " + path + " was not closed well: " + e);
    }
    threads.forEach(Thread::interrupt);
  }
}
