package dev.decant.lab.carriers;

import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.decant.carriers.CarrierPriority;
import dev.decant.lab.load.LoadMain;
import dev.decant.lab.server.ServerKind;
import dev.decant.lab.server.ServerMain;
import dev.decant.lab.stress.ClientJvm;
import dev.decant.testkit.RepositoryJars;
import java.io.File;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.HdrHistogram.Histogram;

/**
 * Flags and class paths of the servers' JVMs, each with its own server's libraries, and of the load generator's JVM.
 */
public final class ServerJvm {
  private static final String NETTY = "io.netty:netty-codec-http:4.2.20.Final";
  private static final String ROBAHO = "io.github.robaho:httpserver:1.0.29";
  /**
   * Lets the JDK's server keep more connections idle than by default, and send small responses at once, like the
   * others.
   */
  private static final List<String> JDK_FLAGS = List.of("-Dsun.net.httpserver.maxIdleConnections=100000",
      "-Dsun.net.httpserver.nodelay=true");
  private static final List<String> ROBAHO_FLAGS = List.of("-Drobaho.net.httpserver.maxIdleConnections=100000",
      "-Drobaho.net.httpserver.nodelay=true");

  private ServerJvm() {}

  /**
   * Returns the flags of all servers, which are those of the stress command's clients.
   *
   * @param own flags of the user, which come last and win
   * @return all flags
   */
  public static List<String> flags(List<String> own) {
    return ClientJvm.flags(own);
  }

  static List<String> arguments(Setup setup, List<String> own, long workSteps) {
    List<String> arguments = new ArrayList<>(setup.setting().flags());
    if (setup.setting().nice() > 0) {
      arguments.add("--enable-native-access=ALL-UNNAMED");
    }
    arguments.addAll(switch (setup.server()) {
      case JDK -> JDK_FLAGS;
      case ROBAHO -> ROBAHO_FLAGS;
      default -> List.of();
    });
    arguments.addAll(flags(own));
    arguments.addAll(List.of("-cp", String.join(File.pathSeparator, classPath(setup.server())),
        ServerMain.class.getName(), setup.server().label(), Integer.toString(setup.setting().parallelism()),
        Long.toString(workSteps)));
    return arguments;
  }

  private static Set<String> classPath(ServerKind server) {
    Set<String> path = new LinkedHashSet<>();
    path.add(RepositoryJars.locationOf(ServerMain.class));
    path.add(RepositoryJars.locationOf(CarrierPriority.class));
    switch (server) {
      case NETTY -> path.addAll(RepositoryJars.locate(ServerJvm.class, "netty.classpath", NETTY));
      case ROBAHO -> path.addAll(RepositoryJars.locate(ServerJvm.class, "robaho.classpath", ROBAHO));
      default -> {
        // the JDK has all it needs
      }
    }
    return path;
  }

  static List<String> loadArguments() {
    Set<String> path = new LinkedHashSet<>();
    for (Class<?> type : new Class<?>[] {LoadMain.class, ObjectMapper.class, JsonFactory.class, JsonProperty.class,
        Histogram.class}) {
      path.add(RepositoryJars.locationOf(type));
    }
    return List.of("-Xms128m", "-Xmx128m", "-XX:+UseSerialGC", "-cp", String.join(File.pathSeparator, path),
        LoadMain.class.getName());
  }
}
