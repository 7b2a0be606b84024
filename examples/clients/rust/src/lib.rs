//! An operator: each ConfigMap with the label `copy` gets a copy.

use futures::StreamExt;
use k8s_openapi::api::core::v1::ConfigMap;
use kube::api::{Patch, PatchParams};
use kube::core::ObjectMeta;
use kube::runtime::controller::{Action, Controller};
use kube::runtime::watcher;
use kube::{Api, Client, Error, ResourceExt};
use std::sync::Arc;
use std::time::Duration;

/// Runs the operator until the future is dropped.
pub async fn run(client: Client) {
    let sources = Api::<ConfigMap>::all(client.clone());
    Controller::new(sources, watcher::Config::default().labels("copy"))
        .run(copy, |_, _, _| Action::requeue(Duration::from_millis(100)), Arc::new(client))
        .for_each(|_| std::future::ready(()))
        .await;
}

async fn copy(source: Arc<ConfigMap>, client: Arc<Client>) -> Result<Action, Error> {
    let name = format!("{}-copy", source.name_any());
    let namespace = source.namespace().unwrap_or_default();
    let metadata = ObjectMeta { name: Some(name.clone()), ..Default::default() };
    let copy = ConfigMap { metadata, data: source.data.clone(), ..Default::default() };
    let copies = Api::<ConfigMap>::namespaced(Client::clone(&client), &namespace);
    copies.patch(&name, &PatchParams::apply("copier"), &Patch::Apply(&copy)).await?;
    Ok(Action::await_change())
}
