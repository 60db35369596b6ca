package dev.decant.lab;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/** Chromium without a window, which loads a page and returns its DOM. */
final class Browser {
  private static final List<String> NAMES = List.of("chromium", "chromium-browser", "google-chrome");
  private static final int PATIENCE_SECONDS = 90;
  /**
   * Marks each drawing that has any colour in it, and adds the page's background colour, so that the DOM shows both.
   */
  private static final String MARKS = """
      <script>
      setInterval(() => {
        document.querySelectorAll("canvas").forEach(canvas => {
          const copy = new OffscreenCanvas(canvas.width, canvas.height);
          const context = copy.getContext("2d", { willReadFrequently: true });
          context.drawImage(canvas, 0, 0);
          const bytes = context.getImageData(0, 0, canvas.width, canvas.height).data;
          canvas.dataset.drawn = bytes.some(value => value !== 0);
        });
        const wide = element => element.scrollWidth > element.clientWidth + 1;
        document.body.dataset.cut = [...document.querySelectorAll(".scroll, pre"), document.documentElement]
          .filter(wide).map(element => element.textContent.slice(0, 40)).join("; ") || "nothing";
        const isBroken = (text, word) => {
          const range = document.createRange();
          range.setStart(text, word.index);
          range.setEnd(text, word.index + word[0].length);
          return range.getClientRects().length > 1;
        };
        document.body.dataset.broken = [...document.querySelectorAll("th")].filter(head => head.firstChild)
          .flatMap(head => [...head.textContent.matchAll(/\\w+/g)].filter(word => isBroken(head.firstChild, word)))
          .map(word => word[0]).join("; ") || "nothing";
        document.body.dataset.window = innerWidth;
        document.body.dataset.wider = document.documentElement.scrollWidth > innerWidth ? "yes" : "no";
        if (parent !== window) Object.assign(parent.document.body.dataset, document.body.dataset);
        document.body.dataset.ground = getComputedStyle(document.body).backgroundColor;
      }, 50);
      </script>
      </body>
      """;

  private final String program;
  private final Path directory;

  private Browser(String program, Path directory) {
    this.program = program;
    this.directory = directory;
  }

  /** Returns the browser of this machine; skips the test without one. */
  static Browser find(Path directory) {
    String path = String.valueOf(System.getenv("PATH"));
    String found = NAMES.stream()
        .flatMap(name -> Stream.of(path.split(File.pathSeparator, -1)).map(folder -> Path.of(folder, name)))
        .filter(Files::isExecutable).map(Path::toString).findFirst().orElse("");
    assumeTrue(!found.isEmpty(), "pages are not looked at: there is no " + String.join(", ", NAMES)
        + " in PATH; install one, on Debian with apt-get install chromium");
    return new Browser(found, directory);
  }

  /** Returns a page with {@link #MARKS}. */
  static String marked(String page) {
    return page.replace("</body>\n", MARKS);
  }

  /** Returns a page that shows a marked page in the width of a telephone, and has its marks. */
  static String onATelephone(String page) {
    return "<!DOCTYPE html><html><body><iframe width=\"390\" height=\"844\" srcdoc=\""
        + page.replace("&", "&amp;").replace("\"", "&quot;") + "\"></iframe></body></html>";
  }

  /** Returns the DOM after all scripts have run and all streams have ended. Fails if a script fails. */
  String dom(String address, boolean dark) throws IOException, InterruptedException {
    Path dom = Files.createTempFile(directory, "dom", ".html");
    Path log = Files.createTempFile(directory, "browser", ".log");
    List<String> command = new ArrayList<>(List.of(program, "--headless", "--no-sandbox", "--disable-gpu",
        "--disable-dev-shm-usage", "--window-size=1280,900", "--no-first-run", "--enable-logging=stderr",
        "--user-data-dir=" + Files.createTempDirectory(directory, "profile"), "--virtual-time-budget=5000"));
    command.addAll(dark ? List.of("--force-dark-mode", "--blink-settings=preferredColorScheme=0") : List.of());
    command.addAll(List.of("--dump-dom", address));
    Process process = new ProcessBuilder(command).redirectOutput(dom.toFile()).redirectError(log.toFile()).start();
    try {
      assertThat(process.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS)).as("the browser has ended in time").isTrue();
    } finally {
      process.descendants().forEach(ProcessHandle::destroyForcibly);
      process.destroyForcibly();
    }
    assertThat(Files.readAllLines(log)).as("errors of the page's scripts")
        .noneMatch(line -> line.contains("CONSOLE") || line.contains("Uncaught"));
    return Files.readString(dom);
  }
}
