package dev.decant.lab;

import dev.decant.lab.fix.FieldNames;
import dev.decant.lab.fix.LogFilter;
import dev.decant.lab.fix.LogLine;
import dev.decant.lab.fix.LogReader;
import dev.decant.lab.fix.PairLatency;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code decant fix log}: reads message logs. */
@Command(name = "log", mixinStandardHelpOptions = true, sortOptions = false, description = {
    "Decodes, filters and follows the message logs of an engine.",
    "It reads the files of FileMessageLog, compressed or not: single files, or a folder in the order of its files."
        + " Names come from dictionaries in QuickFIX's XML format. Times are in UTC."})
final class FixLogCommand implements Callable<Integer> {
  @Spec
  private CommandSpec spec = CommandSpec.create(); // picocli replaces it

  @Parameters(arity = "1..*", paramLabel = "FILE", description = "files, or folders of logs")
  private List<Path> files = new ArrayList<>();

  @Option(names = "--dictionary", paramLabel = "FILE",
      description = "names of fields, values and messages; may be repeated")
  private List<Path> dictionaries = new ArrayList<>();

  @Option(names = "--session", paramLabel = "TEXT", description = "only sessions whose name has this in it")
  private String session = "";

  @Option(names = "--type", split = ",", paramLabel = "TYPE", description = "only these MsgTypes; event for events")
  private List<String> types = new ArrayList<>();

  @Option(names = "--direction", paramLabel = "NAME", description = "only in, or only out")
  private String direction = "";

  @Option(names = "--match", paramLabel = "TAG=VALUE",
      description = "only messages with this field; * at its end for any rest; all of several must hold")
  private List<String> matches = new ArrayList<>();

  @Option(names = "--from", paramLabel = "TIME", description = "09:30 of each day, or 2026-03-14T09:30:00")
  private @Nullable String from;

  @Option(names = "--to", paramLabel = "TIME", description = "the first time that is left out")
  private @Nullable String to;

  @Option(names = "--follow", description = "go on with what is appended, until Ctrl-C")
  private boolean follow;

  @Option(names = "--latency", paramLabel = "TAG", description = "instead of messages: the times from each to the first"
      + " of the other direction with the same value of this field, such as 11")
  private @Nullable String latency;

  @Option(names = "--each", description = "with --latency: a line for each pair, too")
  private boolean each;

  @Option(names = "--raw", description = "print the lines as they are in the file")
  private boolean raw;

  /** Number of lines that were read, and of those that the options choose. */
  private long linesRead;
  private long taken;

  @Override
  public Integer call() throws IOException {
    Usage.require(spec, direction.isEmpty() || direction.equals("in") || direction.equals("out"),
        "--direction is in or out, not " + direction);
    Usage.require(spec, matches.stream().allMatch(match -> match.matches("(?s)\\d+=.*")), "--match wants TAG=VALUE");
    Usage.require(spec, latency == null || latency.matches("\\d+"), "--latency wants a tag, not " + latency);
    for (Path file : files) {
      Usage.require(spec, Files.exists(file), "there is no " + file);
    }
    LogFilter filter = new LogFilter(session, new HashSet<>(types), direction, matches, bound(from), bound(to));
    FieldNames names = new FieldNames();
    for (Path dictionary : dictionaries) {
      names.read(dictionary);
    }
    PrintWriter out = spec.commandLine().getOut();
    PairLatency pairs = latency == null ? null : new PairLatency(latency);
    LogReader reader = new LogReader(files, line -> take(line, filter, names, pairs, out));
    Usage.require(spec, !reader.files().isEmpty(), "there is no log in " + shown(files)
        + ": those of FileMessageLog are named messages-DATE-NUMBER.log");
    int code = read(reader);
    if (pairs != null) {
      out.println(pairs.summary());
    } else if (taken == 0 && !follow) {
      spec.commandLine().getErr().println("decant: the options want none of " + linesRead + " lines");
      spec.commandLine().getErr().flush();
    }
    out.flush();
    return code;
  }

  private static String shown(List<Path> paths) {
    return paths.stream().map(Path::toString).collect(Collectors.joining(", "));
  }

  private int read(LogReader reader) throws IOException {
    if (!follow) {
      reader.read();
      return 0;
    }
    try {
      reader.follow();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    return Decant.INTERRUPTED;
  }

  private LogFilter.@Nullable Bound bound(@Nullable String text) {
    try {
      return text == null ? null : LogFilter.Bound.parse(text);
    } catch (IllegalArgumentException e) {
      throw new ParameterException(spec.commandLine(), e.getMessage(), e);
    }
  }

  private void take(String text, LogFilter filter, FieldNames names, @Nullable PairLatency pairs, PrintWriter out) {
    LogLine line = LogLine.parse(text);
    if (line == null) {
      return;
    }
    linesRead++;
    List<LogLine.Field> fields = line.fields();
    if (!filter.accepts(line, fields)) {
      return;
    }
    taken++;
    if (pairs != null) {
      String pair = pairs.add(line, fields);
      if (each && pair != null) {
        out.println(pair);
      }
    } else {
      out.println(raw ? text : decoded(line, fields, names));
    }
    if (follow) {
      out.flush();
    }
  }

  private static String decoded(LogLine line, List<LogLine.Field> fields, FieldNames names) {
    String begin = line.time() + " " + line.session() + " " + line.direction() + " ";
    if (!line.isMessage()) {
      return begin + line.text();
    }
    String type = LogLine.value(fields, "35");
    return begin + (type == null ? "" : names.message(type) + " ") + fields.stream()
        .filter(field -> !isFrame(field.tag())).map(names::field).collect(Collectors.joining(" "));
  }

  /** Returns true for a field of the frame: every message has it, or the rest of the line says it already. */
  private static boolean isFrame(String tag) {
    return switch (tag) {
      case "8", "9", "35", "49", "56", "10" -> true;
      default -> false;
    };
  }
}
