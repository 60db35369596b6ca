package dev.decant.lab;

import dev.decant.lab.report.HtmlReport;
import dev.decant.lab.report.SavedResult;
import dev.decant.lab.report.SideBySide;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code decant report}: pages of existing results. */
@Command(name = "report", mixinStandardHelpOptions = true, sortOptions = false,
    description = "Makes the page of a result.json again, or one page with several of them side by side.")
final class ReportCommand implements Callable<Integer> {
  @Spec
  private CommandSpec spec = CommandSpec.create(); // picocli replaces it

  @Parameters(arity = "1..*", paramLabel = "FILE", description = "written by a command that measures")
  private List<Path> files = new ArrayList<>();

  @Option(names = "--out", paramLabel = "FILE", defaultValue = "report.html",
      description = "where to write the page (default: report.html)")
  private Path out = Path.of("");

  @Override
  public Integer call() throws IOException {
    List<SavedResult> results = new ArrayList<>();
    for (Path file : files) {
      try {
        results.add(SavedResult.read(file));
      } catch (IllegalArgumentException e) {
        throw new ParameterException(spec.commandLine(), String.valueOf(e.getMessage()), e);
      }
    }
    String page = results.size() == 1
        ? results.getFirst().page()
        : HtmlReport.ofSeveral(SideBySide.of(results));
    Path directory = out.toAbsolutePath().getParent();
    if (directory != null) {
      Files.createDirectories(directory);
    }
    Files.writeString(out, page);
    PrintWriter screen = spec.commandLine().getOut();
    screen.println("written: " + out);
    screen.flush();
    return 0;
  }
}
