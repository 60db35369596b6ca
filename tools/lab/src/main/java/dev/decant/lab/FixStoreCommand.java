package dev.decant.lab;

import dev.decant.fix.store.StoreReader;
import dev.decant.fix.store.StoreSummary;
import dev.decant.fix.store.StoredRecord;
import dev.decant.lab.fix.MessageText;
import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintWriter;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code decant fix store}: the content of a store's files. */
@Command(name = "store", mixinStandardHelpOptions = true, sortOptions = false, description = {
    "Shows, checks, exports and repairs the files of a FIX store.",
    "It reads a store that an engine is writing, too: it takes no lock and changes nothing, except with repair, which"
        + " no engine may have open. Actions: summary, print (all records, a line each), check (exit code 1 if there is"
        + " damage), export (messages that were sent, to --out), repair (keeps what is in front of the damage; agree"
        + " with the counterparty on the numbers then)."},
    exitCodeListHeading = "Exit codes:%n",
    exitCodeList = {"0:done, and no damage", "1:a store is damaged", "2:wrong usage, or no store",
        "3:a file cannot be read or written"})
final class FixStoreCommand implements Callable<Integer> {
  private static final int DAMAGED = 1;
  private static final List<String> ACTIONS = List.of("summary", "print", "check", "export", "repair");

  @Spec
  private CommandSpec spec = CommandSpec.create(); // picocli replaces it

  @Parameters(index = "0", paramLabel = "DIR", description = "the folder of a session, or of the stores of many")
  private Path folder = Path.of("");

  @Parameters(index = "1", arity = "0..1", paramLabel = "ACTION", defaultValue = "summary",
      description = "summary, print, check, export, repair (default: summary)")
  private String action = "summary";

  @Option(names = "--session", paramLabel = "NAME", description = "only folders whose name has this in it")
  private String session = "";

  @Option(names = "--from", paramLabel = "N", defaultValue = "1", description = "first MsgSeqNum (default: 1)")
  private long from = 1;

  @Option(names = "--to", paramLabel = "N", defaultValue = "9223372036854775807",
      description = "last MsgSeqNum (default: all)")
  private long to = Long.MAX_VALUE;

  @Option(names = "--out", paramLabel = "FILE", description = "of export: a message a line; must not exist")
  private @Nullable Path out;

  @Option(names = "--keep-soh", description = "leave SOH as it is, instead of |")
  private boolean keepSoh;

  @Override
  public Integer call() throws IOException {
    Usage.require(spec, ACTIONS.contains(action), "ACTION is one of " + String.join(", ", ACTIONS) + ", not " + action);
    Usage.require(spec, Files.isDirectory(folder), folder + " is no folder");
    List<Path> found = StoreReader.folders(folder).stream()
        .filter(path -> path.toAbsolutePath().getFileName().toString().contains(session)).toList();
    Usage.require(spec, !found.isEmpty(), folder + " has no store of a session");
    Usage.require(spec, !action.equals("export") || out != null, "export needs --out FILE");
    PrintWriter screen = spec.commandLine().getOut();
    boolean isDamaged = false;
    if (action.equals("export") && out != null) {
      try (OutputStream file = new BufferedOutputStream(
          Files.newOutputStream(out, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE))) {
        for (Path path : found) {
          isDamaged |= report(StoreReader.read(path, record -> export(record, file)), screen);
        }
      }
    } else {
      for (Path path : found) {
        isDamaged |= report(read(path, screen), screen);
      }
    }
    screen.flush();
    return isDamaged ? DAMAGED : 0;
  }

  private StoreSummary read(Path path, PrintWriter screen) throws IOException {
    return switch (action) {
      case "repair" -> StoreReader.repair(path);
      case "print" -> StoreReader.read(path, record -> print(record, screen));
      default -> StoreReader.read(path, record -> {});
    };
  }

  private void print(StoredRecord record, PrintWriter screen) {
    if (record.number() >= from && record.number() <= to) {
      screen.printf(Locale.ROOT, "%8d %s %-13s %8d %s%n", record.ordinal(), record.time(), record.kind(),
          record.number(), text(record.message()));
    }
  }

  private String text(ByteBuffer message) {
    return MessageText.of(message, keepSoh);
  }

  private void export(StoredRecord record, OutputStream file) {
    if (record.kind() == StoredRecord.Kind.SENT && record.number() >= from && record.number() <= to) {
      byte[] bytes = new byte[record.message().remaining()];
      record.message().get(bytes);
      try {
        file.write(MessageText.exported(bytes, keepSoh));
        file.write('\n');
      } catch (IOException e) {
        throw new UncheckedIOException("cannot write " + out + ": " + e.getMessage(), e);
      }
    }
  }

  /** Prints a summary; returns true if the store is damaged. */
  private static boolean report(StoreSummary summary, PrintWriter screen) {
    screen.printf(Locale.ROOT, "%s: next outbound %d, next inbound %d, created %s, %d records (%d messages) in %d files"
        + " of %d bytes%s%n", summary.folder().getFileName(), summary.nextOutbound(), summary.nextInbound(),
        summary.created() == null ? "unknown" : summary.created(), summary.records(), summary.messages(),
        summary.files(), summary.bytes(),
        summary.waiting() == 0 ? "" : ", " + summary.waiting() + " records still in the ring");
    if (summary.tail() != null) {
      screen.println("  torn tail: " + summary.tail()
          + " (being written now, or left by a killed process; the next open cuts it off)");
    }
    summary.problems().forEach(problem -> screen.println("  damaged: " + problem));
    return !summary.problems().isEmpty();
  }
}
