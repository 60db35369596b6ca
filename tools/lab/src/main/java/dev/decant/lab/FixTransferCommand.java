package dev.decant.lab;

import dev.decant.fix.quickfix.settings.QuickFixSession;
import dev.decant.fix.quickfix.settings.QuickFixSettings;
import dev.decant.fix.quickfix.store.ImportingStores;
import dev.decant.fix.quickfix.store.QuickFixFiles;
import dev.decant.fix.quickfix.store.QuickFixStore;
import dev.decant.fix.quickfix.store.QuickFixTables;
import dev.decant.fix.store.FileStores;
import dev.decant.fix.store.MessageStoreFactory;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code decant fix import} and {@code export}: stores of QuickFIX/J, to Decant and back. */
abstract class FixTransferCommand implements Callable<Integer> {
  private static final int SEGMENT_BYTES = 16 << 20;
  private static final int FAILED = 3;

  @Spec
  private CommandSpec spec = CommandSpec.create(); // picocli replaces it

  @Parameters(index = "0", paramLabel = "SETTINGS", description = "the settings file of QuickFIX/J, with the sessions")
  private Path file = Path.of("");

  @Option(names = "--store", paramLabel = "DIR",
      description = "the stores of Decant (default: FileStorePath of each session)")
  private @Nullable Path folder;

  @Option(names = "--jdbc", paramLabel = "URL",
      description = "a database with the tables of JdbcStore, in place of files; its driver is on the class path")
  private String jdbc = "";

  @Option(names = "--jdbc-user", paramLabel = "NAME", description = "of the database")
  private String user = "";

  /** Copies one store. */
  abstract String transfer(QuickFixStore store, MessageStoreFactory decant) throws IOException;

  @Override
  public Integer call() throws IOException {
    Usage.require(spec, Files.isReadable(file), file + " cannot be read");
    PrintWriter screen = spec.commandLine().getOut();
    List<String> failures = new ArrayList<>();
    QuickFixSettings settings = QuickFixSettings.read(file);
    failures.addAll(settings.unidentified());
    for (QuickFixSession session : settings.sessions()) {
      if (session.isTemplate()) {
        screen.println(session + ": a template has no store; give a settings file with its sessions");
        continue;
      }
      try {
        screen.println(transfer(session));
      } catch (IOException | SQLException | IllegalArgumentException e) {
        failures.add(session + ": " + e.getMessage());
      }
    }
    failures.forEach(screen::println);
    screen.flush();
    return failures.isEmpty() ? 0 : FAILED;
  }

  private String transfer(QuickFixSession session) throws IOException, SQLException {
    String path = session.value("FileStorePath");
    if (path == null && (folder == null || jdbc.isEmpty())) {
      throw new IOException("FileStorePath is not set" + (jdbc.isEmpty() ? "" : "; add --store DIR"));
    }
    Path own = Path.of(Objects.requireNonNullElse(path, ""));
    MessageStoreFactory decant = FileStores.builder(folder == null ? own : folder).segmentBytes(SEGMENT_BYTES).build();
    if (jdbc.isEmpty()) {
      QuickFixFiles files = new QuickFixFiles(own, session.id());
      String done = transfer(files, decant);
      if (files.exists()) {
        ImportingStores.mark(files);
      }
      return done;
    }
    String password = Objects.requireNonNullElse(System.getenv("DECANT_JDBC_PASSWORD"), "");
    try (Connection connection = DriverManager.getConnection(jdbc, user, password)) {
      return transfer(new QuickFixTables(connection, session.id(), names(session)), decant);
    }
  }

  private static QuickFixTables.Names names(QuickFixSession session) {
    return new QuickFixTables.Names(Objects.requireNonNullElse(session.value("JdbcStoreSessionsTableName"), "sessions"),
        Objects.requireNonNullElse(session.value("JdbcStoreMessagesTableName"), "messages"),
        Objects.requireNonNullElse(session.value("JdbcSessionIdDefaultPropertyValue"), ""));
  }

  /** {@code decant fix import}. */
  @Command(name = "import", mixinStandardHelpOptions = true, sortOptions = false, description = {
      "Copies stores of QuickFIX/J into stores of Decant: numbers, messages and the time of creation.",
      "No engine may have the sessions open. The password of a database is in DECANT_JDBC_PASSWORD."},
      exitCodeListHeading = "Exit codes:%n",
      exitCodeList = {"0:done", "2:wrong usage", "3:a store cannot be read or written"})
  static final class Import extends FixTransferCommand {
    @Option(names = "--replace", description = "replaces stores of Decant that have numbers already")
    private boolean replaces;

    @Override
    String transfer(QuickFixStore store, MessageStoreFactory decant) throws IOException {
      return store.exists()
          ? "imported " + store.importInto(decant, replaces)
          : store.session() + ": QuickFIX/J has no store of it";
    }
  }

  /** {@code decant fix export}. */
  @Command(name = "export", mixinStandardHelpOptions = true, sortOptions = false, description = {
      "Copies stores of Decant into stores of QuickFIX/J, and replaces these: the way back.",
      "No engine may have the sessions open. The password of a database is in DECANT_JDBC_PASSWORD."},
      exitCodeListHeading = "Exit codes:%n",
      exitCodeList = {"0:done", "2:wrong usage", "3:a store cannot be read or written"})
  static final class Export extends FixTransferCommand {
    @Override
    String transfer(QuickFixStore store, MessageStoreFactory decant) throws IOException {
      return "exported " + store.exportFrom(decant);
    }
  }
}
