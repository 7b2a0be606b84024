use k8s_openapi::api::core::v1::{ConfigMap, Namespace};
use kube::api::{Patch, PatchParams, PostParams};
use kube::config::{KubeConfigOptions, Kubeconfig};
use kube::{Api, Client, Config, Error};
use serde_json::{from_value, json};
use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};
use std::sync::OnceLock;
use std::time::Duration;

/// The server of all tests, and the path of its kubeconfig.
static SERVER: OnceLock<(Child, String)> = OnceLock::new();

/// Starts the server. It ends with its input, so it ends with the tests, even if they are killed.
fn start() -> (Child, String) {
    let mut server = Command::new("smd")
        .args(["serve", "--faults", "faults.yaml", "--", "sh", "-c", "echo $KUBECONFIG; cat"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("smd is installed");
    let mut kubeconfig = String::new();
    BufReader::new(server.stdout.as_mut().unwrap()).read_line(&mut kubeconfig).unwrap();
    (server, kubeconfig.trim_end().to_owned())
}

async fn client() -> Client {
    let (_, path) = SERVER.get_or_init(start);
    let kubeconfig = Kubeconfig::read_from(path).unwrap();
    let config = Config::from_custom_kubeconfig(kubeconfig, &KubeConfigOptions::default()).await.unwrap();
    Client::try_from(config).unwrap()
}

fn settings(color: &str) -> ConfigMap {
    let metadata = json!({ "name": "settings", "labels": { "copy": "yes" } });
    from_value(json!({ "metadata": metadata, "data": { "color": color } })).unwrap()
}

#[tokio::test]
async fn a_second_applier_gets_a_conflict() {
    let config_maps = Api::<ConfigMap>::namespaced(client().await, "default");
    let apply = async |color, manager| {
        config_maps.patch("settings", &PatchParams::apply(manager), &Patch::Apply(settings(color))).await
    };
    apply("blue", "gitops").await.unwrap();
    let Err(Error::Api(refused)) = apply("red", "operator").await else { panic!("there was no conflict") };
    assert_eq!(refused.code, 409);
    assert!(refused.message.contains("conflict with \"gitops\": .data.color"), "{refused}");
}

#[tokio::test]
async fn the_operator_copies_a_config_map() {
    copies_in("calm").await;
}

/// The rules of faults.yaml let the first applies in the namespace `faulty` fail.
#[tokio::test]
async fn the_operator_tries_again() {
    copies_in("faulty").await;
}

async fn copies_in(namespace: &str) {
    let client = client().await;
    let metadata = json!({ "metadata": { "name": namespace } });
    let namespaces = Api::<Namespace>::all(client.clone());
    namespaces.create(&PostParams::default(), &from_value(metadata).unwrap()).await.unwrap();
    let config_maps = Api::<ConfigMap>::namespaced(client.clone(), namespace);
    config_maps.create(&PostParams::default(), &settings("blue")).await.unwrap();
    let copied = async {
        loop {
            if let Some(copy) = config_maps.get_opt("settings-copy").await.unwrap() {
                break copy;
            }
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    };
    let copy = tokio::select! {
        copy = copied => copy,
        () = copier::run(client) => unreachable!(),
        () = tokio::time::sleep(Duration::from_secs(10)) => panic!("there was no copy in time"),
    };
    let owners = copy.metadata.managed_fields.unwrap();
    assert_eq!(owners.len(), 1);
    assert_eq!(owners[0].manager.as_deref(), Some("copier"));
}
