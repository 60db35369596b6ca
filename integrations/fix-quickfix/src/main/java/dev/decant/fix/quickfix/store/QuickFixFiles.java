package dev.decant.fix.quickfix.store;

import dev.decant.fix.settings.SessionId;
import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.OutputStream;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.time.format.DateTimeFormatterBuilder;
import java.time.temporal.ChronoField;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The files that QuickFIX/J's FileStore and CachedFileStore write for a session.
 *
 * <pre>
 *   NAME.body             messages, one after another
 *   NAME.header           of each: number (int), place in the body (long), bytes (int); the last of a number counts
 *   NAME.senderseqnums    the next number to be sent, as text in UTF form
 *   NAME.targetseqnums    the next number expected, likewise
 *   NAME.session          when the numbers began, likewise: 20261127-08:00:00.000
 * </pre>
 *
 * <p>NAME joins BeginString and CompIDs by {@code -}. Sessions whose CompIDs differ only in special characters have the
 * same NAME, and QuickFIX/J mixes their messages. Here the first of them owns the files: the file {@code NAME.decant}
 * names it, and the others get an IOException. One thread at a time.
 */
public final class QuickFixFiles extends QuickFixStore {
  private static final String HEADER = "header";
  private static final String BODY = "body";
  private static final String SENDER = "senderseqnums";
  private static final String TARGET = "targetseqnums";
  private static final String SESSION = "session";
  private static final String NEW = ".new";
  /** The extension of the file that names the session of the last import or export, and what that moved. */
  private static final String MARK = "decant";
  private static final String OWNER = "of ";
  private static final List<String> ALL = List.of(BODY, HEADER, TARGET, SESSION, SENDER);
  private static final int MAX_MESSAGE_BYTES = 1 << 24;
  private static final DateTimeFormatter TIME = new DateTimeFormatterBuilder().appendPattern("yyyyMMdd-HH:mm:ss")
      .optionalStart().appendFraction(ChronoField.NANO_OF_SECOND, 0, 9, true).toFormatter();
  private static final DateTimeFormatter WRITTEN = DateTimeFormatter.ofPattern("yyyyMMdd-HH:mm:ss.SSS");

  private final Path folder;
  private final String name;

  /**
   * Creates a reader of the files of a session.
   *
   * @param folder FileStorePath
   * @param session the session
   */
  public QuickFixFiles(Path folder, SessionId session) {
    super(session);
    this.folder = folder;
    this.name = name(session);
  }

  /** Returns the NAME of a session's files. Sessions whose CompIDs differ only in special characters share it. */
  private static String name(SessionId id) {
    String whole = id.beginString() + "-" + id.senderCompId() + part("_", id.senderSubId())
        + part("_", id.senderLocationId()) + "-" + id.targetCompId() + part("_", id.targetSubId())
        + part("_", id.targetLocationId()) + part("-", id.qualifier());
    return whole.replaceAll("[^a-zA-Z0-9.-]", "_");
  }

  private static String part(String before, String value) {
    return value.isEmpty() ? "" : before + value;
  }

  Path file(String kind) {
    return folder.resolve(name + "." + kind);
  }

  @Override
  public boolean exists() throws IOException {
    return Files.exists(file(SENDER)) || (Files.exists(file(HEADER)) && Files.size(file(HEADER)) > 0);
  }

  @Override
  Numbers numbers() throws IOException {
    var unused = marked(); // Fails if the files belong to another session.
    return new Numbers(number(file(SENDER)), number(file(TARGET)), created());
  }

  /** Reads a number. A file that is missing or empty stands for 1, as in QuickFIX/J. */
  private static long number(Path file) throws IOException {
    String text = text(file);
    try {
      long number = text.isEmpty() ? 1 : Long.parseLong(text);
      if (number < 1) {
        throw new NumberFormatException();
      }
      return number;
    } catch (NumberFormatException e) {
      throw new IOException(file + " holds no sequence number; set it by an export, or remove the file", e);
    }
  }

  private static String text(Path file) throws IOException {
    if (Files.notExists(file) || Files.size(file) == 0) {
      return "";
    }
    try (DataInputStream in = new DataInputStream(Files.newInputStream(file))) {
      return in.readUTF();
    } catch (EOFException e) {
      throw new IOException(file + " is torn", e);
    }
  }

  private Instant created() throws IOException {
    Path file = file(SESSION);
    String text = text(file);
    if (text.isEmpty()) {
      return Instant.now();
    }
    try {
      return LocalDateTime.parse(text, TIME).toInstant(ZoneOffset.UTC);
    } catch (DateTimeException e) {
      throw new IOException(file + " holds no time", e);
    }
  }

  /** The position of a message in the body. */
  private record Place(long offset, int bytes) {}

  @Override
  long read(Sink sink) throws IOException {
    if (Files.notExists(file(HEADER)) || Files.notExists(file(BODY))) {
      return 0;
    }
    long torn = 0;
    Map<Long, Place> places = places();
    try (RandomAccessFile body = new RandomAccessFile(file(BODY).toFile(), "r")) {
      long end = body.length();
      for (Map.Entry<Long, Place> entry : places.entrySet()) {
        Place place = entry.getValue();
        boolean isWhole = place.offset() >= 0 && place.bytes() > 0 && place.bytes() <= MAX_MESSAGE_BYTES
            && place.offset() <= end - place.bytes();
        if (isWhole) {
          byte[] bytes = new byte[place.bytes()];
          body.seek(place.offset());
          body.readFully(bytes);
          sink.message(entry.getKey(), bytes);
        } else {
          torn++; // QuickFIX/J writes the header before the body.
        }
      }
    }
    return torn;
  }

  private Map<Long, Place> places() throws IOException {
    Map<Long, Place> places = new TreeMap<>();
    long entries = Files.size(file(HEADER)) / (Integer.BYTES + Long.BYTES + Integer.BYTES);
    try (DataInputStream in = new DataInputStream(new BufferedInputStream(Files.newInputStream(file(HEADER))))) {
      for (long i = 0; i < entries; i++) {
        places.put((long) in.readInt(), new Place(in.readLong(), in.readInt()));
      }
    }
    return places;
  }

  @Override
  Writing write(Numbers numbers) throws IOException {
    var unused = marked(); // Fails if the files belong to another session.
    Files.createDirectories(folder);
    return new NewFiles(numbers);
  }

  /** Returns a summary of the files' content, by which a later use of the files by QuickFIX/J is found. */
  String state() throws IOException {
    StringBuilder state = new StringBuilder();
    for (String kind : ALL) {
      Path file = file(kind);
      boolean isSmall = !kind.equals(BODY) && !kind.equals(HEADER);
      state.append(kind).append(' ').append(isSmall ? text(file) : Files.exists(file) ? Files.size(file) : 0)
          .append('\n');
    }
    return state.toString();
  }

  /**
   * Returns the summary of the last import or export.
   *
   * @return null if there was none
   * @throws IOException if the files belong to another session
   */
  @Nullable
  String marked() throws IOException {
    if (Files.notExists(file(MARK))) {
      return null;
    }
    String text = Files.readString(file(MARK));
    int end = text.indexOf('\n');
    if (!text.startsWith(OWNER) || end < 0) {
      return text; // The file is cut, or of a version without the session. Then its text never equals a summary.
    }
    String owner = text.substring(OWNER.length(), end);
    if (!owner.equals(session().toString())) {
      throw new IOException(
          "session " + session() + ": the files " + folder.resolve(name) + ".* are those of session " + owner
              + ", since QuickFIX/J names files alike where CompIDs differ in special characters alone; give one of the"
              + " two another FileStorePath");
    }
    return text.substring(end + 1);
  }

  /** Records the session and the summary of the files. */
  void mark() throws IOException {
    var unused = marked(); // Fails if the files belong to another session.
    Files.writeString(fresh(MARK), OWNER + session() + '\n' + state());
    Files.move(fresh(MARK), file(MARK), StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
  }

  private Path fresh(String kind) {
    return folder.resolve(name + "." + kind + NEW);
  }

  /** Writes new files beside the old ones, and replaces these at the end. The number to be sent comes last. */
  private final class NewFiles implements Writing {
    private final OutputStream body;
    private final DataOutputStream header;
    private long offset;

    NewFiles(Numbers numbers) throws IOException {
      put(SENDER, Long.toString(numbers.nextOutbound()));
      put(TARGET, Long.toString(numbers.nextInbound()));
      put(SESSION, LocalDateTime.ofInstant(numbers.created(), ZoneOffset.UTC).format(WRITTEN));
      body = new BufferedOutputStream(Files.newOutputStream(fresh(BODY)));
      header = new DataOutputStream(new BufferedOutputStream(Files.newOutputStream(fresh(HEADER))));
    }

    private void put(String kind, String text) throws IOException {
      try (DataOutputStream out = new DataOutputStream(Files.newOutputStream(fresh(kind)))) {
        out.writeUTF(text);
      }
    }

    @Override
    public void message(long number, byte[] bytes) throws IOException {
      header.writeInt(Math.toIntExact(number));
      header.writeLong(offset);
      header.writeInt(bytes.length);
      body.write(bytes);
      offset += bytes.length;
    }

    @Override
    public void finish() throws IOException {
      close();
      for (String kind : ALL) {
        Files.move(fresh(kind), file(kind), StandardCopyOption.REPLACE_EXISTING);
      }
    }

    @Override
    public void close() throws IOException {
      header.close();
      body.close();
    }
  }
}
