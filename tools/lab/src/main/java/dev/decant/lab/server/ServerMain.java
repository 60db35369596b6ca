package dev.decant.lab.server;

import dev.decant.carriers.CarrierPriority;
import dev.decant.carriers.PriorityReport;
import java.io.IOException;

/** The main class of a server's JVM. It serves {@code port} and {@code nice N}. */
public final class ServerMain {
  private ServerMain() {}

  /**
   * Runs one server.
   *
   * @param arguments name of the server, number of an NIO server's event loops, steps of a request that computes
   * @throws InterruptedException never
   */
  public static void main(String[] arguments) throws InterruptedException {
    ParentLine parent = ParentLine.open();
    CarrierPriority carriers = CarrierPriority.ofThisJvm();
    try {
      LoopbackServer server = LoopbackServer.start(arguments[0], Integer.parseInt(arguments[1]),
          Long.parseLong(arguments[2]));
      parent.serve(request -> response(request, server, carriers));
    } catch (IOException | RuntimeException e) {
      parent.refuse(e);
      Runtime.getRuntime().halt(1);
    }
  }

  private static String response(String request, LoopbackServer server, CarrierPriority carriers) {
    if (request.equals("port")) {
      return Integer.toString(server.port());
    }
    if (request.startsWith("nice ")) {
      PriorityReport report = carriers.lower(Integer.parseInt(request.substring("nice ".length())));
      if (!report.isComplete()) {
        throw new IllegalStateException("the carriers' priority: " + report.obstacle() + report.carriers());
      }
      return Integer.toString(report.carriers().size());
    }
    throw new IllegalArgumentException("unknown request " + request);
  }
}
