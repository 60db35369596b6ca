package dev.decant.agent;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.instrument.Instrumentation;
import java.net.URI;
import java.net.URISyntaxException;
import java.net.URL;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.CodeSource;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Starts the agent on a JVM that can run it, see {@link AgentStart}. */
public final class DecantAgent {
  /** The release of this agent. A test compares it with the build's. */
  static final String VERSION = "0.1.0";
  private static final String MODULE = "decant-kafka-apache";
  /** The folder of Decant's classes within the jar. The build of {@code decant-agent-all} uses the same name. */
  private static final String INSIDE = "META-INF/decant/";

  private static final AtomicBoolean STARTED = new AtomicBoolean();

  private DecantAgent() {}

  /**
   * Begins to read the classes that the JVM loads. A wrong option, or any other failure, is logged, and the process
   * then runs without the agent.
   *
   * @param argument {@code include=a.b.*;c.*,exclude=...,lib=...,log=...,prefix=...,report=...}, each optional,
   *     or null
   * @param instrumentation of this JVM
   */
  public static void premain(@Nullable String argument, Instrumentation instrumentation) {
    String state = System.getProperty("decant.agent", "on");
    if (state.equals("off")) {
      return;
    }
    // Two agents, named by JAVA_TOOL_OPTIONS and the command line, once changed classes twice.
    if (!STARTED.compareAndSet(false, true)) {
      System.getLogger(AgentLog.NAME).log(System.Logger.Level.WARNING, "decant-agent is named twice, perhaps on the"
          + " command line and in JAVA_TOOL_OPTIONS; the first one counts, and its options");
      return;
    }
    try {
      if (!state.equals("on")) {
        throw new IllegalArgumentException("\"" + state + "\" is unknown; write -Ddecant.agent=off, or leave it out");
      }
      start(AgentOptions.read(argument, System.getProperties()), instrumentation);
    } catch (IllegalArgumentException | IOException e) {
      refused(String.valueOf(e.getMessage()));
    } catch (RuntimeException | LinkageError e) { // thrown further, any failure would keep the JVM from starting
      refused(e.toString());
    }
  }

  private static void refused(String reason) {
    System.getLogger(AgentLog.NAME).log(System.Logger.Level.ERROR,
        "decant.agent: " + reason + ". Apache's clients stay in use.");
  }

  private static void start(AgentOptions options, Instrumentation instrumentation) throws IOException {
    AgentLog log = new AgentLog(options.detail());
    List<URL> inside = options.jars().isEmpty() ? insideAgent() : List.of();
    List<Path> given = options.jars().isEmpty() && inside.isEmpty() ? besideAgent() : options.jars();
    ApacheClasses classes = new ApacheClasses(options.prefixes());
    Construction.use(new Switch(inside.isEmpty() ? urls(given) : inside, classes, log));
    log.keepFirstLine("decant-agent " + VERSION + " is on, classes from "
        + (inside.isEmpty() ? place(given) : "the agent's jar"));
    LastLine.prepare(log, options.report());
    instrumentation.addTransformer(new ClassChanger(options.classes(), classes, log, instrumentation));
  }

  private static String place(List<Path> given) {
    return given.isEmpty()
        ? "the class path of the application"
        : given.stream().map(Path::toString).collect(Collectors.joining(", "));
  }

  /**
   * Returns the folder within the agent's jar that has Decant's classes, if it is the jar of {@code decant-agent-all}.
   */
  private static List<URL> insideAgent() throws IOException {
    String file = ClientKind.PRODUCER.decantName.replace('.', '/') + ".class";
    URL found = DecantAgent.class.getResource("/" + INSIDE + file);
    if (found == null) {
      return List.of();
    }
    String text = found.toString();
    try {
      return List.of(new URI(text.substring(0, text.length() - file.length())).toURL());
    } catch (URISyntaxException e) {
      throw new IOException("the place of the agent's jar is unknown", e);
    }
  }

  /** Returns the jars of the folder {@code lib} beside the agent's jar, if Decant's are in it. */
  private static List<Path> besideAgent() throws IOException {
    CodeSource source = DecantAgent.class.getProtectionDomain().getCodeSource();
    if (source == null) {
      return List.of(); // a class on the boot class path has no code source
    }
    try {
      Path agent = Path.of(source.getLocation().toURI());
      Path lib = agent.resolveSibling("lib");
      return Files.isDirectory(lib) && jarsIn(lib).stream().anyMatch(DecantAgent::isModule) ? List.of(lib) : List.of();
    } catch (URISyntaxException e) {
      throw new IOException("the place of the agent's jar is unknown", e);
    }
  }

  private static boolean isModule(Path jar) {
    return jar.getFileName().toString().startsWith(MODULE);
  }

  private static List<Path> jarsIn(Path path) {
    if (!Files.isDirectory(path)) {
      return List.of(path);
    }
    try (Stream<Path> files = Files.list(path)) {
      return files.filter(file -> file.toString().endsWith(".jar")).sorted().toList();
    } catch (IOException | UncheckedIOException e) {
      throw new IllegalArgumentException("lib: " + path + " cannot be read: " + e, e);
    }
  }

  private static List<URL> urls(List<Path> paths) throws IOException {
    List<URL> urls = new ArrayList<>();
    for (Path path : paths) {
      for (Path jar : jarsIn(path)) {
        urls.add(jar.toUri().toURL());
      }
    }
    return urls;
  }
}
