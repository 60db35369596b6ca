package dev.decant.lab;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.decant.lab.fix.ControlClient;
import dev.decant.lab.fix.TextTable;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code decant fix sessions}: shows and controls the sessions of a running engine. */
@Command(name = "sessions", mixinStandardHelpOptions = true, sortOptions = false, description = {
    "Shows and steers the sessions of a running engine by its control socket.",
    "The engine opens it with FixEngine.Builder.control(PATH). Without an action it prints a line for each session."
        + " Actions print their outcome: status, logon, logout, disable, enable, reset, reset-without-logout,"
        + " set-outbound, set-inbound, resend, test, send."},
    exitCodeListHeading = "Exit codes:%n",
    exitCodeList = {"0:done", "1:the engine refused the action, or it failed; with --check, a session is down that its"
        + " schedule has open", "2:wrong usage", "3:no engine listens there"})
final class FixSessionsCommand implements Callable<Integer> {
  private static final int REFUSED = 1;
  private static final long MINUTE_SECONDS = 60;
  /** Length of an ISO 8601 time up to its minutes. */
  private static final int MINUTES = 16;

  @Spec
  private CommandSpec spec = CommandSpec.create(); // picocli replaces it

  @Option(names = "--control", paramLabel = "PATH", required = true, description = "the engine's control socket")
  private Path control = Path.of("");

  @Option(names = "--check", description = "end with exit code 1 if a session is down while its schedule has it open")
  private boolean checks;

  @Option(names = "--json", description = "print the engine's lines of JSON")
  private boolean json;

  @Parameters(index = "0", arity = "0..1", paramLabel = "ACTION", defaultValue = "status",
      description = "what to do (default: status)")
  private String action = "status";

  @Parameters(index = "1", arity = "0..1", paramLabel = "SESSION",
      description = "as status names it: FIX.4.4:SENDER->TARGET")
  private String session = "";

  @Parameters(index = "2..*", arity = "0..*", paramLabel = "ARG",
      description = "a number, a text for the counterparty, or the fields of a message: '35=D|11=A|55=DECANT'")
  private List<String> arguments = new ArrayList<>();

  @Override
  public Integer call() throws IOException {
    String request = action + (session.isEmpty() ? "" : " " + ControlClient.escaped(session))
        + (arguments.isEmpty() ? "" : " " + String.join(" ", arguments));
    Usage.require(spec, request.indexOf('\n') < 0 && request.indexOf('\r') < 0, "an argument has a line break");
    ObjectMapper mapper = new ObjectMapper();
    List<JsonNode> sessions = new ArrayList<>();
    PrintWriter out = spec.commandLine().getOut();
    List<String> lines;
    try (ControlClient client = new ControlClient(control)) {
      lines = client.ask(request);
    }
    for (String line : lines.subList(0, lines.size() - 1)) {
      sessions.add(mapper.readTree(line));
    }
    JsonNode end = mapper.readTree(lines.getLast());
    if (json) {
      lines.forEach(out::println);
    } else if (!end.path("ok").asBoolean()) {
      spec.commandLine().getErr().println("decant: " + end.path("error").asText());
    } else if (!sessions.isEmpty()) {
      print(sessions, out);
    } else {
      out.println(end.has("outcome") ? end.path("outcome").asText() : end.path("commands").asText("no sessions"));
    }
    out.flush();
    spec.commandLine().getErr().flush();
    boolean isDown = checks && sessions.stream()
        .anyMatch(node -> !node.path("up").asBoolean() && node.path("open").asBoolean(true));
    return end.path("ok").asBoolean() && !isDown ? 0 : REFUSED;
  }

  private void print(List<JsonNode> sessions, PrintWriter out) {
    if (!session.isEmpty()) {
      JsonNode only = sessions.getFirst();
      only.properties().forEach(
          field -> out.printf(Locale.ROOT, "%-22s %s%n", field.getKey(), field.getValue().asText("")));
      return;
    }
    TextTable table = new TextTable("session", "state", "out", "in", "waiting", "last in", "last out", "round trip",
        "store", "schedule", "reason");
    for (JsonNode node : sessions) {
      table.row(node.path("session").asText(), node.path("state").asText(), node.path("nextOutbound").asText(),
          node.path("nextInbound").asText(), node.path("waitingMessages").asText(),
          ago(node.path("receivedSecondsAgo")), ago(node.path("sentSecondsAgo")), micros(node.path("roundTripMicros")),
          store(node), schedule(node), node.path("up").asBoolean() ? "" : node.path("reason").asText());
    }
    out.print(table);
  }

  private static String ago(JsonNode seconds) {
    if (seconds.isNull() || seconds.isMissingNode()) {
      return "-";
    }
    double value = seconds.asDouble();
    return value < MINUTE_SECONDS
        ? String.format(Locale.ROOT, "%.1f s", value)
        : String.format(Locale.ROOT, "%d min", (long) value / MINUTE_SECONDS);
  }

  private static String micros(JsonNode micros) {
    return micros.isNumber() ? String.format(Locale.ROOT, "%.0f us", micros.asDouble()) : "-";
  }

  private static String store(JsonNode node) {
    return node.path("store").asText() + " since " + minute(node.path("storeCreated").asText());
  }

  /** Describes the next event of the session's schedule. */
  private static String schedule(JsonNode node) {
    boolean isOpen = node.path("open").asBoolean(true);
    JsonNode next = node.path(isOpen ? "nextClose" : "nextOpen");
    JsonNode reset = node.path("nextReset");
    String state = isOpen ? "open" : "closed";
    if (next.isTextual()) {
      state += " until " + minute(next.asText());
    }
    return reset.isTextual() ? state + ", reset " + minute(reset.asText()) : state;
  }

  private static String minute(String time) {
    return time.length() >= MINUTES ? time.substring(0, MINUTES) + 'Z' : time;
  }
}
