package dev.decant.fix.store;

import dev.decant.fix.segment.DamagedFileException;
import dev.decant.fix.segment.Force;
import dev.decant.fix.segment.SegmentFiles;
import dev.decant.fix.segment.SegmentLog;
import dev.decant.fix.segment.SegmentSettings;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.concurrent.TimeUnit;

/** The file {@code ring} in the folder of a session, see {@link RecordRing}. */
final class RingFile {
  static final String NAME = "ring";
  private static final String TEMPORARY = "ring.tmp";
  private static final String DAMAGED = "damaged";
  private static final long RECOVERY_WAIT_NANOS = TimeUnit.SECONDS.toNanos(10);

  private RingFile() {}

  /**
   * Creates an empty ring. Its file gets its name when it is complete, and replaces an older ring without records.
   *
   * @throws IOException if the disk is full or broken
   */
  static RecordRing create(SegmentFiles files, int dataBytes, long nextRecord) throws IOException {
    Path path = files.folder.resolve(NAME);
    Path temporary = files.folder.resolve(TEMPORARY);
    RecordRing ring = null;
    try (FileChannel channel = FileChannel.open(temporary, StandardOpenOption.CREATE,
        StandardOpenOption.TRUNCATE_EXISTING, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
      files.storage.writeZeros(channel, 0, RecordRing.DATA + (long) dataBytes);
      ring = RecordRing.create(channel, dataBytes, files.session, nextRecord);
      if (files.forces()) {
        files.storage.force(channel);
      }
      Files.move(temporary, path, StandardCopyOption.ATOMIC_MOVE);
      return ring;
    } catch (IOException e) {
      if (ring != null) {
        ring.close();
      }
      Files.deleteIfExists(temporary);
      throw new IOException("cannot make " + path + " with " + dataBytes + " bytes: " + e, e);
    }
  }

  /**
   * Moves the records of a ring that another process has left to the log, and deletes the ring. If that fails, closes
   * the log.
   *
   * @param what names the session in errors
   * @throws IOException if the ring is damaged, or the log does not accept the records
   */
  static void recover(SegmentLog log, String what, SegmentSettings settings) throws IOException {
    boolean isTaken = false;
    try {
      recover(log.files(), log, settings);
      isTaken = true;
    } catch (IOException e) {
      throw new IOException("cannot open the store of " + what + ": " + e.getMessage(), e);
    } finally {
      if (!isTaken) {
        log.close();
      }
    }
  }

  private static void recover(SegmentFiles files, SegmentLog log, SegmentSettings settings) throws IOException {
    Path path = files.folder.resolve(NAME);
    if (!Files.exists(path)) {
      return;
    }
    try (FileChannel channel = FileChannel.open(path)) {
      if (!RecordRing.isUnwritten(channel)) {
        moveTo(log, path, channel, files.session);
      }
    } catch (DamagedFileException e) {
      if (!settings.recoversPrefix()) {
        throw e;
      }
      files.move(path, DAMAGED);
    }
    if (settings.force() == Force.EVERY_MESSAGE && !log.force()) {
      throw log.refusal();
    }
    Files.deleteIfExists(path);
  }

  private static void moveTo(SegmentLog log, Path path, FileChannel channel, long session) throws IOException {
    try (RecordRing ring = RecordRing.read(path, channel, session)) {
      ring.recoverTo(log, path, RECOVERY_WAIT_NANOS);
    }
  }
}
