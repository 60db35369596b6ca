package dev.decant.fix.segment;

import dev.decant.fix.settings.SessionId;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The folder of one session, locked against other engines while it is open.
 *
 * <p>The name joins the components of the session's identity by {@code _}, without empty ones at the end. LocationIDs
 * come last, so that folders of sessions without them keep their names. Letters, digits, {@code -} and {@code .} stand
 * for themselves; other characters are {@code %} and two hexadecimal digits. If a name is too long for a file system, a
 * hash of the whole replaces its end.
 */
public final class SessionFolder implements AutoCloseable {
  private static final int ASCII_END = 128;
  private static final int MAX_NAME = 200;
  private static final int HASH_CHARACTERS = 16;
  private static final String LOCK = "lock";
  /**
   * The folders that this JVM has open. Guarded by itself. File locks do not protect within a process: when it closes
   * any channel of the file, the system releases its lock.
   */
  private static final Set<Path> OPEN = new HashSet<>();

  final Path path;
  /** Hash of the session's identity, which its files contain. */
  final long hash;
  private final Path key;
  private final FileChannel lock;

  private SessionFolder(Path path, long hash, Path key, FileChannel lock) {
    this.path = path;
    this.hash = hash;
    this.key = key;
    this.lock = lock;
  }

  /**
   * Creates and locks the folder of a session.
   *
   * @throws IOException if another store has it open, or it cannot be created
   */
  public static SessionFolder open(Path parent, SessionId session) throws IOException {
    String identity = identity(session);
    Path path = parent.resolve(name(identity));
    try {
      Files.createDirectories(path);
    } catch (IOException e) {
      throw new IOException("session " + session + ": cannot make the folder " + path + " of its store: " + e, e);
    }
    return open(path, "session " + session, ByteBuffer.wrap(sha256(identity)).getLong());
  }

  /**
   * Locks an existing folder.
   *
   * @param what names the folder in errors
   * @param hash the hash of the session's identity
   * @throws IOException if another store has it open
   */
  public static SessionFolder open(Path path, String what, long hash) throws IOException {
    Path key = path.toRealPath();
    synchronized (OPEN) {
      if (!OPEN.add(key)) {
        throw inUse(what, path, null);
      }
    }
    FileChannel lock = null;
    try {
      lock = lockFile(path, what);
      FileLock held = lock.tryLock();
      if (held == null) {
        throw inUse(what, path, null);
      }
      return new SessionFolder(path, hash, key, lock);
    } catch (OverlappingFileLockException e) {
      release(key, lock);
      throw inUse(what, path, e);
    } catch (IOException | RuntimeException | Error e) {
      release(key, lock);
      throw e;
    }
  }

  /** The message of a {@link java.nio.file.FileSystemException} may be the path alone, so the error has its class. */
  private static FileChannel lockFile(Path path, String what) throws IOException {
    try {
      return FileChannel.open(path.resolve(LOCK), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
    } catch (IOException e) {
      throw new IOException("cannot lock the store of " + what + ": " + e, e);
    }
  }

  private static IOException inUse(String what, Path path, @Nullable Throwable cause) {
    return new IOException(what + ": another engine has the store " + path + " open."
        + " Stop that engine, or give this one a folder of its own", cause);
  }

  /** Returns the components, escaped and joined. Different sessions have different results. */
  private static String identity(SessionId session) {
    StringBuilder name = new StringBuilder();
    for (String component : new String[] {session.beginString(), session.senderCompId(), session.senderSubId(),
        session.targetCompId(), session.targetSubId(), session.qualifier(), session.senderLocationId(),
        session.targetLocationId()}) {
      name.append(name.isEmpty() ? "" : "_");
      escape(component, name);
    }
    int end = name.length();
    while (name.charAt(end - 1) == '_') {
      end--;
    }
    return name.substring(0, end);
  }

  private static void escape(String component, StringBuilder to) {
    for (int i = 0; i < component.length(); i++) {
      char c = component.charAt(i);
      boolean isPlain = c < ASCII_END && (Character.isLetterOrDigit(c) || c == '-' || c == '.');
      if (isPlain && !(c == '.' && to.isEmpty())) {
        to.append(c);
      } else {
        to.append('%').append(HexFormat.of().withUpperCase().toHexDigits((byte) c));
      }
    }
  }

  private static String name(String identity) {
    if (identity.length() <= MAX_NAME) {
      return identity;
    }
    return identity.substring(0, MAX_NAME - HASH_CHARACTERS)
        + HexFormat.of().formatHex(sha256(identity), 0, HASH_CHARACTERS / 2);
  }

  private static byte[] sha256(String text) {
    try {
      return MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.US_ASCII));
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every JDK has SHA-256", e);
    }
  }

  /** Forces the names of the files to the disk, if the system can. */
  static void forceNames(Path folder) throws IOException {
    FileChannel names;
    try {
      names = FileChannel.open(folder, StandardOpenOption.READ);
    } catch (IOException e) {
      return; // Windows cannot open a folder.
    }
    try (names) {
      names.force(true);
    }
  }

  /** Releases the folder. */
  @Override
  public void close() {
    release(key, lock);
  }

  private static void release(Path key, @Nullable FileChannel lock) {
    try {
      if (lock != null) {
        lock.close();
      }
    } catch (IOException e) {
      // The system releases the lock with the process.
    } finally {
      synchronized (OPEN) {
        OPEN.remove(key);
      }
    }
  }
}
