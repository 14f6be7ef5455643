import org.codelibs.opensearch.runner.OpenSearchRunner;

/** One OpenSearch node in this process: Node NAME DIR HTTP TRANSPORT SEEDS MANAGERS ROLES */
public class Node {
    public static void main(String[] a) throws Exception {
        OpenSearchRunner runner = new OpenSearchRunner();
        runner.onBuild((number, settings) -> {
            settings.put("node.name", a[0]);
            settings.put("network.host", "127.0.0.1");
            settings.put("http.port", a[2]);
            settings.put("transport.port", a[3]);
            settings.putList("discovery.seed_hosts", a[4].split(","));
            settings.putList("cluster.initial_cluster_manager_nodes", a[5].split(","));
            settings.putList("node.roles", a[6].split(","));
            settings.put("cluster.routing.allocation.disk.threshold_enabled", false);
            settings.put("cluster.fault_detection.follower_check.timeout", "1s");
            settings.put("cluster.fault_detection.leader_check.timeout", "1s");
        }).build(OpenSearchRunner.newConfigs().clusterName("brv").numOfNode(1).basePath(a[1]).useLogger());
        Thread.currentThread().join();
    }
}
