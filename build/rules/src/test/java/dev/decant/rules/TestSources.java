package dev.decant.rules;

import com.sun.source.tree.AnnotationTree;
import com.sun.source.tree.AssignmentTree;
import com.sun.source.tree.ClassTree;
import com.sun.source.tree.CompilationUnitTree;
import com.sun.source.tree.ExpressionTree;
import com.sun.source.tree.LiteralTree;
import com.sun.source.tree.MethodTree;
import com.sun.source.tree.ModifiersTree;
import com.sun.source.tree.Tree;
import com.sun.source.util.JavacTask;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import javax.lang.model.element.Modifier;
import javax.tools.JavaCompiler;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;

/**
 * Test classes of a module, as its sources have them. The modules for tests are compiled beside this one, so their
 * classes may not be there yet.
 */
final class TestSources {
  private static final Set<String> TESTS = Set.of("Test", "ParameterizedTest", "RepeatedTest", "TestFactory",
      "TestTemplate");
  /** Annotations that turn a test off for good, or by a setting of the run. */
  private static final Set<String> SWITCHES = Set.of("Disabled", "EnabledIfSystemProperty", "DisabledIfSystemProperty",
      "EnabledIfEnvironmentVariable", "DisabledIfEnvironmentVariable");
  /** Annotations that ask a method, for example whether the runtime has a module. They need a reason for the report. */
  private static final Set<String> CONDITIONS = Set.of("EnabledIf", "DisabledIf");

  /**
   * Annotations of a class or a method.
   *
   * @param tags of JUnit
   * @param switches annotations that turn it on or off
   */
  record Marks(Set<String> tags, Set<String> switches) {
    Marks and(Marks other) {
      return new Marks(union(tags, other.tags), union(switches, other.switches));
    }

    private static Set<String> union(Set<String> one, Set<String> other) {
      Set<String> both = new HashSet<>(one);
      both.addAll(other);
      return both;
    }
  }

  /**
   * A test method.
   *
   * @param name of the method
   * @param marks its own
   */
  record TestMethod(String name, Marks marks) {}

  /**
   * A class or interface, with test methods or without.
   *
   * @param file below the directory of the sources, as surefire's patterns see it
   * @param name with those of the classes around it
   * @param enclosing name of the class around it; empty if there is none
   * @param parents simple names of superclass and interfaces
   * @param isConcrete whether it can be constructed
   * @param isNested whether JUnit looks for it in the class around it, or a test of that class runs it by itself
   * @param marks of the class
   * @param methods the tests that it declares
   */
  record TestClass(String file, String name, String enclosing, List<String> parents, boolean isConcrete,
      boolean isNested, Marks marks, List<TestMethod> methods) {
    String simpleName() {
      return name.substring(name.lastIndexOf('.') + 1);
    }
  }

  private final Path sources;
  private final List<TestClass> classes = new ArrayList<>();

  private TestSources(Path sources) {
    this.sources = sources;
  }

  /** Reads the sources of a module's tests; none if it has no such directory. */
  static List<TestClass> of(Path module) throws IOException {
    TestSources read = new TestSources(module.resolve("src/test/java"));
    if (Files.isDirectory(read.sources)) {
      read.read();
    }
    return read.classes;
  }

  private void read() throws IOException {
    List<Path> files;
    try (Stream<Path> all = Files.walk(sources)) {
      files = all.filter(file -> file.toString().endsWith(".java")).sorted().toList();
    }
    if (files.isEmpty()) {
      return;
    }
    JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
    try (StandardJavaFileManager manager = compiler.getStandardFileManager(null, null, null)) {
      JavacTask task = (JavacTask) compiler.getTask(null, manager, null, List.of("-proc:none"), null,
          manager.getJavaFileObjectsFromPaths(files));
      for (CompilationUnitTree unit : task.parse()) {
        String file = sources.toUri().relativize(unit.getSourceFile().toUri()).getPath();
        for (Tree type : unit.getTypeDecls()) {
          if (type instanceof ClassTree declared) {
            read(declared, new Origin(file, unit.toString()), "");
          }
        }
      }
    }
  }

  /** A file and its text. */
  private record Origin(String file, String text) {
    /** As in {@code selectClass(Sample.class)}, with which tests of an extension run their samples. */
    boolean names(String type) {
      return text.matches("(?s).*\\b" + type + "\\.class\\b.*");
    }
  }

  private void read(ClassTree type, Origin origin, String enclosing) {
    ModifiersTree modifiers = type.getModifiers();
    String name = enclosing.isEmpty() ? type.getSimpleName().toString() : enclosing + '.' + type.getSimpleName();
    List<String> parents = new ArrayList<>();
    if (type.getExtendsClause() != null) {
      parents.add(simple(type.getExtendsClause()));
    }
    type.getImplementsClause().forEach(parent -> parents.add(simple(parent)));
    boolean isConcrete = type.getKind() == Tree.Kind.CLASS && !modifiers.getFlags().contains(Modifier.ABSTRACT);
    List<TestMethod> methods = new ArrayList<>();
    for (Tree member : type.getMembers()) {
      if (member instanceof MethodTree method && isAnnotated(method.getModifiers(), TESTS)) {
        methods.add(new TestMethod(method.getName().toString(), marks(method.getModifiers())));
      } else if (member instanceof ClassTree inner) {
        read(inner, origin, name);
      }
    }
    boolean isNested = (isAnnotated(modifiers, Set.of("Nested")) && !modifiers.getFlags().contains(Modifier.STATIC))
        || origin.names(type.getSimpleName().toString());
    classes
        .add(new TestClass(origin.file(), name, enclosing, parents, isConcrete, isNested, marks(modifiers), methods));
  }

  private static boolean isAnnotated(ModifiersTree modifiers, Set<String> names) {
    return modifiers.getAnnotations().stream().anyMatch(each -> names.contains(simple(each.getAnnotationType())));
  }

  /** Without package and type arguments. */
  private static String simple(Tree type) {
    String text = type.toString().replaceAll("<.*", "");
    return text.substring(text.lastIndexOf('.') + 1);
  }

  private static Marks marks(ModifiersTree modifiers) {
    Set<String> tags = new HashSet<>();
    Set<String> switches = new HashSet<>();
    for (AnnotationTree annotation : modifiers.getAnnotations()) {
      String name = simple(annotation.getAnnotationType());
      if (name.equals("Tag")) {
        annotation.getArguments().forEach(argument -> tags.add(text(argument)));
      } else if (name.equals("Tags")) {
        tags.add(annotation.toString()); // unknown, therefore refused: one way to write it is enough
      } else if (SWITCHES.contains(name)
          || (CONDITIONS.contains(name) && !annotation.toString().contains("disabledReason"))) {
        switches.add(name);
      }
    }
    return new Marks(tags, switches);
  }

  private static String text(ExpressionTree argument) {
    ExpressionTree value = argument instanceof AssignmentTree assigned ? assigned.getExpression() : argument;
    return value instanceof LiteralTree literal ? String.valueOf(literal.getValue()) : value.toString();
  }
}
