package dev.decant.rules;

import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import javax.tools.Diagnostic;
import javax.tools.DiagnosticCollector;
import javax.tools.JavaCompiler;
import javax.tools.JavaFileObject;
import javax.tools.ToolProvider;

/** Compiles sources of documents and examples against the modules of the build. */
final class JavaSources {
  private JavaSources() {}

  /** The errors, each with its file and line; empty if all of it compiles. */
  static List<String> errors(Path classes, Iterable<? extends JavaFileObject> sources) {
    JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
    DiagnosticCollector<JavaFileObject> found = new DiagnosticCollector<>();
    List<String> options = List.of("-proc:none", "-d", classes.toString(), "-cp",
        System.getProperty("java.class.path"));
    compiler.getTask(null, null, found, options, null, sources).call();
    return found.getDiagnostics().stream().filter(d -> d.getKind() == Diagnostic.Kind.ERROR)
        .map(JavaSources::text).toList();
  }

  private static String text(Diagnostic<? extends JavaFileObject> error) {
    JavaFileObject source = error.getSource();
    String file = source == null ? "" : source.getName() + ":";
    return file + error.getLineNumber() + ": " + error.getMessage(Locale.ROOT);
  }
}
