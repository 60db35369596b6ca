package dev.decant.fix.log;

import dev.decant.fix.settings.SessionId;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.stream.Stream;

/** A folder of log files, and what tests write to it. */
final class LogFolder {
  static final SessionId SESSION = SessionId.of("FIX.4.4", "SELLER", "BUYER");
  /** 2026-03-14, a Saturday, 09:26:53.589793 in UTC. */
  static final long NOW = epochNanos("2026-03-14T09:26:53.589793238Z");
  static final long DAY_NANOS = TimeUnit.DAYS.toNanos(1);

  private LogFolder() {}

  static long epochNanos(String instant) {
    Instant i = Instant.parse(instant);
    return TimeUnit.SECONDS.toNanos(i.getEpochSecond()) + i.getNano();
  }

  /** The bytes of a text with | for SOH. */
  static ByteBuffer bytes(String text) {
    byte[] bytes = text.replace('|', '\1').getBytes(StandardCharsets.ISO_8859_1);
    return ByteBuffer.allocateDirect(bytes.length).put(0, bytes);
  }

  static void inbound(MessageLog log, String text) {
    inbound(log, NOW, text);
  }

  static void inbound(MessageLog log, long epochNanos, String text) {
    ByteBuffer bytes = bytes(text);
    log.inbound(SESSION, epochNanos, bytes, 0, bytes.capacity());
  }

  static List<Path> files(Path folder) throws IOException {
    try (Stream<Path> paths = Files.list(folder)) {
      return paths.filter(path -> path.toString().endsWith(".log")).sorted().toList();
    }
  }

  static List<String> names(Path folder) throws IOException {
    return files(folder).stream().map(path -> path.getFileName().toString()).toList();
  }

  /** All lines of all files, in the order of the files' names. */
  static List<String> lines(Path folder) throws IOException {
    List<String> lines = new ArrayList<>();
    for (Path file : files(folder)) {
      lines.addAll(Files.readString(file, StandardCharsets.ISO_8859_1).lines().toList());
    }
    return lines;
  }

  /** The messages or events of all lines, without time, session and direction. */
  static List<String> messages(Path folder) throws IOException {
    return lines(folder).stream().map(line -> line.split(" ", 4)[3]).toList();
  }

  static void await(String what, BooleanSupplier condition) {
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(30);
    while (!condition.getAsBoolean()) {
      if (System.nanoTime() - deadline > 0) {
        throw new AssertionError("after 30 s still not: " + what);
      }
      LockSupport.parkNanos(100_000);
    }
  }

  static void awaitMessages(Path folder, int count) {
    await(count + " lines", () -> {
      try {
        return lines(folder).size() >= count;
      } catch (IOException e) {
        throw new AssertionError(e);
      }
    });
  }
}
