package dev.decant.fix.log;

import java.nio.file.Path;
import java.util.Comparator;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The name of a log's file, as its parts: {@code messages-20260314-0001.log}, with {@code .gz} behind it once it is
 * compressed.
 *
 * @param day of its first line, in UTC
 * @param number among those of the day
 */
record LogFileName(String day, int number) {
  static final Comparator<LogFileName> ORDER = Comparator.comparing(LogFileName::day)
      .thenComparingInt(LogFileName::number);
  static final String COMPRESSED = ".gz";
  /** Behind a file that is being made: it counts for nothing. */
  static final String TEMPORARY = ".gz.tmp";

  private static final Pattern NAME = Pattern.compile("messages-(\\d{8})-(\\d{1,9})\\.log");

  /** The name that a path has without one of these ends; null if it is no file of a log. */
  static @Nullable LogFileName of(Path path, String end) {
    String file = path.getFileName().toString();
    if (!file.endsWith(end)) {
      return null;
    }
    Matcher matcher = NAME.matcher(file.substring(0, file.length() - end.length()));
    return matcher.matches() ? new LogFileName(matcher.group(1), Integer.parseInt(matcher.group(2))) : null;
  }

  Path in(Path folder) {
    return folder.resolve(String.format(Locale.ROOT, "messages-%s-%04d.log", day, number));
  }

  Path compressedIn(Path folder) {
    return with(folder, COMPRESSED);
  }

  Path temporaryIn(Path folder) {
    return with(folder, TEMPORARY);
  }

  private Path with(Path folder, String end) {
    Path plain = in(folder);
    return plain.resolveSibling(plain.getFileName() + end);
  }
}
