package dev.decant.lab;

import dev.decant.lab.live.LiveFeed;
import dev.decant.lab.live.LiveServer;
import dev.decant.lab.report.HtmlReport;
import java.io.IOException;
import java.util.function.IntConsumer;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;

/** The options for the page that shows a run while it goes on. All commands that measure have them. */
final class LiveOptions {
  private static final int LARGEST_PORT = 65_535;

  @Option(names = "--live", description = "show the run on a page of this machine while it goes")
  private boolean live;

  @Option(names = "--live-port", paramLabel = "N",
      description = "the page's port (default: a free one); includes --live")
  private @Nullable Integer port;

  /** Rejects a wrong combination of options before anything is started. */
  void check(CommandSpec spec) {
    Usage.require(spec, port == null || (port >= 0 && port <= LARGEST_PORT),
        "--live-port must be 1 to " + LARGEST_PORT + ", or 0 for a free one, not " + port);
  }

  /** Starts the server of the page; without the option, the result serves nothing. */
  @Nullable
  Page open(CommandSpec spec, IntConsumer onReaders) {
    Integer wanted = port;
    if (!live && wanted == null) {
      return null;
    }
    LiveFeed feed = new LiveFeed(onReaders);
    try {
      return new Page(feed, LiveServer.start(wanted == null ? 0 : wanted, feed, HtmlReport.ofLive()));
    } catch (IOException e) {
      throw new ParameterException(spec.commandLine(), "--live-port " + (wanted == null ? 0 : wanted)
          + " cannot be had: " + e.getMessage() + "; choose another one, or --live alone for a free one", e);
    }
  }

  /**
   * The page while it is served.
   *
   * @param feed takes the page's events
   * @param server serves the page
   */
  record Page(LiveFeed feed, LiveServer server) {}
}
