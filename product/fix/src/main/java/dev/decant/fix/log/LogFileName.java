package dev.decant.fix.log;

import java.nio.file.Path;
import java.util.Comparator;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The parts of a file name of the log: {@code messages-20260314-0001.log}, with {@code .gz} after compression.
 *
 * @param day the UTC day of its first line
 * @param number the number of the file within the day
 */
record LogFileName(String day, int number) {
  static final Comparator<LogFileName> ORDER = Comparator.comparing(LogFileName::day)
      .thenComparingInt(LogFileName::number);
  static final String COMPRESSED = ".gz";
  /** The end of the name of a file being compressed, which is ignored otherwise. */
  static final String TEMPORARY = ".gz.tmp";

  private static final Pattern NAME = Pattern.compile("messages-(\\d{8})-(\\d{1,9})\\.log");

  /** Parses the name of a path that ends with {@code end}. Returns null if it is no file of a log. */
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
