import com.sun.source.tree.ClassTree;
import com.sun.source.tree.CompilationUnitTree;
import com.sun.source.tree.ImportTree;
import com.sun.source.tree.MemberSelectTree;
import com.sun.source.tree.Tree;
import com.sun.source.util.JavacTask;
import com.sun.source.util.TreePath;
import com.sun.source.util.Trees;
import java.io.BufferedReader;
import java.io.File;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import javax.lang.model.element.Element;
import javax.lang.model.element.PackageElement;
import javax.tools.JavaCompiler;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;

/** Reads paths of sources and prints, for each import, the files that javac finds behind it. */
public class Imports {
  static Trees trees;
  static final Map<String, TreeSet<String>> filesOfClass = new HashMap<>();
  static final Map<String, TreeSet<String>> filesOfPackage = new HashMap<>();

  public static void main(String[] args) throws Exception {
    List<String> paths = new ArrayList<>();
    BufferedReader in = new BufferedReader(new InputStreamReader(System.in, "UTF-8"));
    for (String line = in.readLine(); line != null; line = in.readLine()) {
      paths.add(line);
    }
    JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
    StandardJavaFileManager manager = compiler.getStandardFileManager(null, null, null);
    List<String> options = List.of("-proc:none", "-XDshould-stop.ifError=FLOW", "-encoding", "UTF-8");
    JavacTask task =
        (JavacTask)
            compiler.getTask(null, manager, d -> {}, options, null, manager.getJavaFileObjectsFromStrings(paths));
    trees = Trees.instance(task);
    List<CompilationUnitTree> units = new ArrayList<>();
    task.parse().forEach(units::add);
    task.analyze();
    for (CompilationUnitTree unit : units) {
      declare(unit);
    }
    PrintStream out = new PrintStream(System.out, true, "UTF-8");
    for (CompilationUnitTree unit : units) {
      for (ImportTree i : unit.getImports()) {
        out.println(fileOf(unit) + "\t" + named(i) + answer(unit, i));
      }
    }
  }

  static String fileOf(CompilationUnitTree unit) {
    return unit.getSourceFile().getName().replace(File.separatorChar, '/');
  }

  static void declare(CompilationUnitTree unit) {
    String pkg = unit.getPackageName() == null ? "" : unit.getPackageName().toString();
    for (Tree t : unit.getTypeDecls()) {
      if (t instanceof ClassTree) {
        String name = ((ClassTree) t).getSimpleName().toString();
        add(filesOfClass, pkg.isEmpty() ? name : pkg + "." + name, unit);
        add(filesOfPackage, pkg, unit);
      }
    }
  }

  static void add(Map<String, TreeSet<String>> map, String key, CompilationUnitTree unit) {
    map.computeIfAbsent(key, k -> new TreeSet<>()).add(fileOf(unit));
  }

  /** The package or class that an import names, without the star or the static member. */
  static Tree named(ImportTree i) {
    MemberSelectTree select = (MemberSelectTree) i.getQualifiedIdentifier();
    return isAll(select) || i.isStatic() ? select.getExpression() : select;
  }

  static boolean isAll(MemberSelectTree select) {
    return select.getIdentifier().contentEquals("*");
  }

  /** The files behind an import, each after a tab; "?" if javac cannot tell which is meant. */
  static String answer(CompilationUnitTree unit, ImportTree i) {
    MemberSelectTree select = (MemberSelectTree) i.getQualifiedIdentifier();
    Tree named = named(i);
    TreePath path = new TreePath(new TreePath(new TreePath(unit), i), select);
    Element e = trees.getElement(named == select ? path : new TreePath(path, named));
    TreeSet<String> files = null;
    if (isAll(select) && e instanceof PackageElement) {
      files = filesOfPackage.get(((PackageElement) e).getQualifiedName().toString());
      return files == null ? "" : "\t" + String.join("\t", files);
    }
    for (Element outer = e; outer != null && !(outer instanceof PackageElement); outer = outer.getEnclosingElement()) {
      e = outer;
    }
    files = e == null ? null : filesOfClass.get(e.toString());
    if (files == null) {
      return "";
    }
    return files.size() > 1 ? "\t?" : "\t" + files.first();
  }
}
