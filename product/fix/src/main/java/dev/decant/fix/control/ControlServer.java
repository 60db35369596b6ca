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
 * A Unix domain socket through which operators of the same user inspect and control the sessions of an engine. It has
 * daemon threads of its own and never uses the loop's.
 *
 * <p>The socket is bound in a folder that only this user can enter, gets its permissions there, and is then renamed to
 * its path. So no other user can connect at any moment, whatever the umask of the process is. A file {@code PATH.lock}
 * is locked while the server runs. A socket file whose lock is free is stale, and is replaced.
 */
public final class ControlServer implements AutoCloseable {
  /** The most peers at a time; further ones are closed at once. */
  static final int MAX_CONNECTIONS = 8;

  private static final System.Logger LOG = System.getLogger(ControlServer.class.getName());
  private static final Duration DEADLINE = Duration.ofSeconds(10);
  private static final long RETRY_NANOS = Duration.ofSeconds(1).toNanos();
  private static final Duration OUTCOME_WAIT = Duration.ofSeconds(30);
  private static final Set<PosixFilePermission> OWNER_ONLY = PosixFilePermissions.fromString("rw-------");

  private final Path path;
  private final FileChannel lock;
  private final ServerSocketChannel server;
  private final Object fileKey;
  private final ControlCommands commands;
  private final long deadlineNanos;
  private final Set<ControlConnection> connections = ConcurrentHashMap.newKeySet();
  private final Set<Thread> threads = ConcurrentHashMap.newKeySet();
  /** True when no further peer or request is served. Read by the threads of the server. */
  private volatile boolean closed;

  private ControlServer(Path path, FileChannel lock, Supplier<List<FixSession>> sessions, Duration deadline)
      throws IOException {
    this.path = path;
    this.lock = lock;
    this.commands = new ControlCommands(sessions, OUTCOME_WAIT);
    this.deadlineNanos = deadline.toNanos();
    this.server = bind(path);
    this.fileKey = String.valueOf(key(path));
  }

  /**
   * Opens the socket and listens until the server is closed.
   *
   * @param path the path of the socket; its folder exists
   * @param name the name of the engine, for its threads
   * @param sessions returns the present sessions
   * @return the server
   * @throws IOException if another engine listens there, another file has the path, or the file system has no POSIX
   *     permissions. The message names the path and the cause
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

  /** Returns a readable reason. The message of some exceptions is a path only. */
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
      // Another engine of this process has the lock.
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
      } catch (IOException | RuntimeException | Error e) {
        // There are no descriptors or no thread; the next peer may get one.
        LOG.log(System.Logger.Level.WARNING, "the control socket " + path + " cannot take a connection: " + e);
        LockSupport.parkNanos(this, RETRY_NANOS); // Without a pause, the log would fill the disk.
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
          if (!isServed) { // There is no thread, or no memory for one.
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
      // The close ends the connections that it finds; this one may have been added later.
      String request = closed ? null : connection.read();
      while (request != null && !closed) {
        commands.execute(request, connection::write);
        request = connection.read();
      }
    } catch (IOException | RuntimeException e) {
      LOG.log(System.Logger.Level.DEBUG, "a connection to the control socket " + path + " ended: " + e);
    } finally {
      // The connection is removed before the peer sees its end: a peer that connects again would count twice.
      connections.remove(connection);
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

  /** Ends all connections and deletes the socket. Further calls have no effect. */
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
